"""Meta-estimators: learners built on other learners or on any scikit-learn estimator."""
