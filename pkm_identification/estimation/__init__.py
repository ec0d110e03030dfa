"""Estimation: a problem (parameters, prior, equations, noise), the estimators that take it, the estimate they give.

- `parameters`: which numbers are estimated, what is believed and stated of them beforehand;
- `equations`: what recorded motion and force say of them, linear in them;
- `batch`, `filters`: estimators that take all equations at once, or one after the other;
- `consistency`: bodies that can exist; `dual`: state and parameters together;
- `online`: beside a running machine, with payloads picked up and friction that drifts;
- `procedures`: several estimations in a plan of their own.
"""
