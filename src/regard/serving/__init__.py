"""A service that existing clients speak: LibreTranslate, DeepL and OpenAI, at one port."""
