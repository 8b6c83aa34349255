"""deep-translator, unmodified: it speaks LibreTranslate's protocol, and DeepL's only to DeepL itself."""

import json
import sys

from deep_translator import LibreTranslator

client = LibreTranslator(source="en", target="de", custom_url=f"{sys.argv[1]}/", api_key=sys.argv[2])
print(
    json.dumps(
        {
            "translation": client.translate("Where is the station?"),
            "batch": client.translate_batch(["I am tired.", "Yes."]),
        }
    )
)
