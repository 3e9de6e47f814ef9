"""The page and its parts: the only code that imports streamlit or plotly."""
