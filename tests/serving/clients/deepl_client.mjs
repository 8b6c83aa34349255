// deepl-node, unmodified.
import * as deepl from "deepl-node";

const [base, key] = process.argv.slice(2);
const client = new deepl.Translator(key, { serverUrl: base });
const entries = new deepl.GlossaryEntries({ entries: { station: "Hauptbahnhof" } });
const glossary = await client.createGlossary("trains", "en", "de", entries);
const one = await client.translateText("Where is the station?", null, "de");
const batch = await client.translateText(["I am tired.", "Yes."], "en", "de");
const options = { glossary };
const term = await client.translateText("Where is the station?", "en", "de", options);
await client.deleteGlossary(glossary);
console.log(
  JSON.stringify({
    translation: one.text,
    batch: batch.map(({ text }) => text),
    "with glossary": term.text,
    targets: (await client.getTargetLanguages()).map(({ code }) => code),
  }),
);
