"""libretranslatepy, unmodified."""

import json
import sys

from libretranslatepy import LibreTranslateAPI

client = LibreTranslateAPI(f"{sys.argv[1]}/", api_key=sys.argv[2])
print(
    json.dumps(
        {
            "translation": client.translate("Where is the station?", "en", "de"),
            "detected": client.detect("Wo ist der Bahnhof?")[0]["language"],
            "languages": [language["code"] for language in client.languages()],
        }
    )
)
