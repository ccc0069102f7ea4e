"""Efficient Feature Group Sequencing for Anytime Linear Prediction (Hu et al., UAI 2016), again."""
