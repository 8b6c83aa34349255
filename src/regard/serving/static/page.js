// A text goes to /translate, its translation and word pairs come back. Text is only ever set as text.
const byId = (id) => document.getElementById(id);
const [form, source, target, text, translation] = ["form", "source", "target", "text", "translation"].map(byId);
const [state, alignment, key, keyLabel] = ["state", "alignment", "key", "key-label"].map(byId);
const button = form.querySelector("button");
const LONGEST_PAIRED = 1000; // letters: word pairs of more would fill the page
let languages = [];

function option(code, name) {
  const element = document.createElement("option");
  element.value = code;
  element.textContent = name;
  return element;
}

function say(line, isProblem = false) {
  state.textContent = line;
  state.classList.toggle("problem", isProblem);
}

async function ask(path, body) {
  const request = body && {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(key.value ? { ...body, api_key: key.value } : body),
  };
  const response = await fetch(path, request);
  const answer = await response.json();
  if (!response.ok) throw new Error(answer.error ?? response.statusText);
  return answer;
}

function showPairs(pairs, from, to) {
  const [left, right] = [from.split(/\s+/), to.split(/\s+/)];
  alignment.replaceChildren(
    ...pairs.map(([first, second]) => {
      const element = document.createElement("span");
      element.textContent = `${left[first] ?? ""} – ${right[second] ?? ""}`;
      return element;
    }),
  );
  alignment.hidden = pairs.length === 0;
}

async function translate(event) {
  event.preventDefault();
  const q = text.value;
  button.disabled = true;
  say("…");
  try {
    await ready; // whoever is quick has chosen no language yet
    say("…");
    const attention = q.length <= LONGEST_PAIRED ? { alignment: true } : undefined;
    const body = { q, source: source.value, target: target.value, attention };
    const answer = await ask("/translate", body);
    translation.textContent = answer.translatedText;
    showPairs(answer.attention?.alignment?.words ?? [], q.trim(), answer.translatedText);
    const detected = answer.detectedLanguage?.language;
    say(detected ? `from ${languages.find(({ code }) => code === detected)?.name ?? detected}` : "");
  } catch (problem) {
    say(problem.message, true);
  } finally {
    button.disabled = false;
  }
}

async function begin() {
  const settings = await ask("/frontend/settings");
  languages = await ask("/languages");
  keyLabel.hidden = !settings.keyRequired;
  const names = new Map(languages.map(({ code, name }) => [code, name]));
  const targets = new Set(languages.flatMap(({ code, targets }) => targets.filter((other) => other !== code)));
  source.replaceChildren(option("auto", "any language"), ...languages.map(({ code, name }) => option(code, name)));
  target.replaceChildren(...[...targets].map((code) => option(code, names.get(code) ?? code)));
  target.value = settings.language.target.code;
  say(targets.size ? "" : "no translator is served here");
}

text.addEventListener("keydown", (event) => {
  if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) form.requestSubmit();
});
form.addEventListener("submit", translate);
const ready = begin();
ready.catch((problem) => say(problem.message, true));
button.disabled = false; // before, a browser would have sent the form itself
