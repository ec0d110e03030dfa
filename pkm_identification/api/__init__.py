"""What `import pkm_identification as pkm` offers: machines, logs and identifications in a few functions."""
