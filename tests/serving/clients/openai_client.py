"""openai, unmodified."""

import json
import sys

import openai

client = openai.OpenAI(base_url=f"{sys.argv[1]}/v1", api_key=sys.argv[2], max_retries=0)
prompt = {"model": "shakespeare", "prompt": "To be, or not to be", "temperature": 0, "max_tokens": 10}
chat = {"model": "en-de", "messages": [{"role": "user", "content": "I am tired."}]}
whole = client.completions.create(**prompt, logprobs=2)
answers = {
    "models": sorted(model.id for model in client.models.list()),
    "completion": whole.choices[0].text,
    "logprobs": len(whole.choices[0].logprobs.token_logprobs),
    "stream": "".join(part.choices[0].text for part in client.completions.create(**prompt, stream=True)),
    "choices": len(client.completions.create(**{**prompt, "temperature": 1}, n=3, seed=1).choices),
    "chat": client.chat.completions.create(**chat).choices[0].message.content,
    "chat stream": "".join(
        part.choices[0].delta.content or "" for part in client.chat.completions.create(**chat, stream=True)
    ),
    "embedding": client.embeddings.create(model="shakespeare", input=["My lord"]).data[0].embedding,
    "attention": client.completions.create(**prompt, extra_body={"attention": {"layer": "decoder.0.self"}}).model_extra[
        "attention"
    ][0]["weights"][0][0],
}
try:
    client.completions.create(model="nothing", prompt="a")
except openai.NotFoundError as problem:
    answers["error"] = problem.body["message"]
print(json.dumps(answers))
