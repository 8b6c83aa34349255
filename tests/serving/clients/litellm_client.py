"""litellm, unmodified."""

import json
import sys

import litellm

where = {"api_base": f"{sys.argv[1]}/v1", "api_key": sys.argv[2]}
said = [{"role": "user", "content": "I am tired."}]
answer = litellm.completion(model="openai/en-de", messages=said, **where)
parts = litellm.completion(model="openai/en-de", messages=said, stream=True, **where)
text = litellm.text_completion(
    model="text-completion-openai/shakespeare", prompt="To be, or not to be", temperature=0, max_tokens=10, **where
)
print(
    json.dumps(
        {
            "chat": answer.choices[0].message.content,
            "chat stream": "".join(part.choices[0].delta.content or "" for part in parts),
            "completion": text.choices[0].text,
        }
    )
)
