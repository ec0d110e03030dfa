"""Base parameters of low-mobility mechanisms: double precision, many digits, rules, fractions (Iriarte et al. 2017)."""
