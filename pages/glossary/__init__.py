"""The page "Glossary": every term a student meets, and where the app shows it."""
