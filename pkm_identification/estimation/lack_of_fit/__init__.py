"""Whether a linear model fits its data, and which further columns the data ask for; knows no mechanism."""
