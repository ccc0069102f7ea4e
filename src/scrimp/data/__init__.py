"""The training table: its columns, target, validation and encoding."""
