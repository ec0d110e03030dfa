"""Every key of machine and mechanism files, declared for editors (JSON Schema) and for the reference page.

The readers decide what is valid; a test holds these declarations to what they allow, section by section.
"""
