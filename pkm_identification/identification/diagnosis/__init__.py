"""Does the model fit the machine, and if not, why: noise floor, hypotheses about what is wrong, verdict."""
