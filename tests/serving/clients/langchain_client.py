"""langchain-openai, unmodified."""

import json
import sys

from langchain_openai import ChatOpenAI, OpenAI, OpenAIEmbeddings

where = {"base_url": f"{sys.argv[1]}/v1", "api_key": sys.argv[2]}
chat = ChatOpenAI(model="en-de", **where)
embeddings = OpenAIEmbeddings(model="shakespeare", check_embedding_ctx_length=False, **where)
print(
    json.dumps(
        {
            "chat": chat.invoke("I am tired.").content,
            "chat stream": "".join(part.content for part in chat.stream("I am tired.")),
            "completion": OpenAI(model="shakespeare", temperature=0, max_tokens=10, **where).invoke(
                "To be, or not to be"
            ),
            "embedding": embeddings.embed_query("My lord"),
        }
    )
)
