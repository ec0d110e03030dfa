"""Model equations: columns and measured side, low-passed alike, in the order an estimator takes them."""
