"""Training-Time Optimization of a Budgeted Booster (Huang, Powers, Reyzin, IJCAI 2015), again."""
