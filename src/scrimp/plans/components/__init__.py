"""What the kinds of plan are made of: weak learners, fitted models, calibrators, draws."""
