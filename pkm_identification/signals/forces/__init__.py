"""Forces that act at the struts from measured ones, and lengths of the struts from encoders elsewhere."""
