// openai of npm, unmodified.
import OpenAI from "openai";

const [base, apiKey] = process.argv.slice(2);
const client = new OpenAI({ baseURL: `${base}/v1`, apiKey, maxRetries: 0 });
const prompt = { model: "shakespeare", prompt: "To be, or not to be", temperature: 0, max_tokens: 10 };
const whole = await client.completions.create(prompt);
let streamed = "";
for await (const part of await client.completions.create({ ...prompt, stream: true })) {
  streamed += part.choices[0]?.text ?? "";
}
const messages = [{ role: "user", content: "I am tired." }];
const chat = await client.chat.completions.create({ model: "en-de", messages });
const embedded = await client.embeddings.create({ model: "shakespeare", input: "My lord" });
console.log(
  JSON.stringify({
    completion: whole.choices[0].text,
    stream: streamed,
    chat: chat.choices[0].message.content,
    embedding: embedded.data[0].embedding,
  }),
);
