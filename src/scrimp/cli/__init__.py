"""The command line: one module per command, and what commands share.

Shared are `options` and `errors`, `tables` and `problem` (what is read), `training_columns` and
`model_columns` (which columns count), `training`, `output`, `progress`, `plan_report`,
`comparison_report`, `comparison_picture` and `conversation`. Methods come from `scrimp.registry`.
"""
