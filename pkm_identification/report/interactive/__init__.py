"""Figures for plotly as plain documents; plotly itself is asked only for the script that draws them."""
