// The contents: every case, with how it fares on each wire.

const GROUPS = [
  ["turn", "Turns", "A neutral turn, and the request it is on each wire."],
  ["answer", "Answers", "Neutral events, the frames that each wire writes for them, and the whole answer."],
  ["error", "Error answers", "A refusal, and how each wire's clients are told."],
  ["recorded", "Recorded", "What real programs and servers sent, what it means, and the same said on the other wires."],
  ["invalid", "Refused", "Requests and streams that must be refused, with the code and the place."],
];

const groupOf = (id) => id.split("/")[0];
const nameOf = (id) => id.split("/").slice(1).join(" / ");

// How a case fares: for each wire the number of losses, or the code it is refused with; null where it is not on it.
function fareOf(told) {
  const fare = {};
  for (const view of told.views) {
    for (const wire of WIRES) {
      const its = (fare[wire] ??= { names: new Set(), code: null, there: false });
      if (view.wires?.[wire]) {
        its.there = true;
        (view.wires[wire].losses ?? []).forEach(([name, path]) => its.names.add(`${name} ${path}`));
        if (view.wires[wire].refused?.length) its.code ??= view.wires[wire].refused[0][0];
      }
      for (const step of view.steps ?? []) {
        if (!step[wire]) continue;
        its.there = true;
        (step[wire].losses ?? []).forEach(([name, path]) => its.names.add(`${name} ${path}`));
      }
      if (view.refused?.[wire]) its.code ??= view.refused[wire].code;
    }
    const failed = view.steps && view.own ? verdictOf(view, told.unpacked ??= unpack(told.texts)) : null;
    if (failed) fare[view.own].code ??= failed.code;
  }
  return fare;
}

function fareElement(fare) {
  return el("span", { class: "fare" }, WIRES.map((wire) => {
    const its = fare[wire];
    const [kind, sign, words] = !its?.there ? ["absent", "", "not here"]
      : its.code ? ["bad", "×", `refused, ${its.code}`]
      : its.names.size ? ["lossy", String(its.names.size), count(its.names.size, "loss", "losses")]
      : ["whole", "•", "whole"];
    return el("span", { class: `cell ${kind}`, title: `${WIRE_NAMES[wire]}: ${words}` }, el("span", { "aria-hidden": "true" }, sign), el("span", { class: "unseen" }, its?.there ? `${WIRE_SHORT[wire]} ${words}. ` : ""));
  }));
}

// The contents as an element; `state` keeps what was asked for while one looks at a case.
function contents(cases, state) {
  const entries = [];
  const sections = GROUPS.map(([group, title, about]) => {
    const its = cases.filter((told) => groupOf(told.id) === group);
    const list = el("ol", {}, its.map((told) => {
      const fare = (told.fare ??= fareOf(told));
      const made = el("li", {}, el("a", { href: `#${told.id}` }, el("span", { class: "id" }, nameOf(told.id)), el("span", { class: "says" }, told.says), fareElement(fare)));
      const sides = Object.values(fare);
      entries.push({ made, group, words: `${told.id} ${told.says} ${[...sides.flatMap((side) => [...side.names]), ...sides.map((side) => side.code)].join(" ")}`.toLowerCase(), lossy: sides.some((side) => side.names.size), bad: sides.some((side) => side.code) });
      return made;
    }));
    const columns = el("span", { class: "fare", "aria-hidden": "true" }, ["C", "M", "R"].map((letter) => el("span", { class: "cell" }, letter)));
    return el("section", { class: "group", id: `group-${group}`, "aria-labelledby": `title-${group}` }, el("header", {}, el("h2", { id: `title-${group}` }, title, " ", el("span", { class: "total" }, String(its.length))), el("p", {}, about), columns), list);
  });
  const found = el("p", { class: "found", role: "status" });
  const filter = el("input", { type: "search", id: "filter", placeholder: "A name, a word, a loss, a code", autocomplete: "off", spellcheck: "false" });
  filter.value = state.words;
  const choices = [["all", "All"], ["lossy", "With losses"], ["bad", "Refused"]].map(([value, title]) => {
    const input = el("input", { type: "radio", name: "fare", value, id: `fare-${value}`, checked: state.fare === value });
    input.addEventListener("change", () => { state.fare = value; apply(); });
    return [input, el("label", { for: `fare-${value}` }, title)];
  });
  function apply() {
    const words = state.words.toLowerCase().split(/\s+/).filter(Boolean);
    let seen = 0;
    entries.forEach((entry) => {
      const fits = words.every((word) => entry.words.includes(word)) && (state.fare === "all" || entry[state.fare]);
      entry.made.hidden = !fits;
      if (fits) seen += 1;
    });
    sections.forEach((section) => (section.hidden = !section.querySelector("li:not([hidden])")));
    found.textContent = seen === entries.length ? `${seen} cases` : `${count(seen, "case", "cases")} of ${entries.length}`;
  }
  filter.addEventListener("input", () => { state.words = filter.value; apply(); });
  const made = el("div", { class: "contents", id: "contents" },
    el("div", { class: "lede" },
      el("h1", { tabindex: "-1" }, "What is said, and how each wire says it"),
      el("p", {}, "Every case of ", el("code", {}, "golden/"), ": the bytes that the tests hold, beside the neutral values that they mean. Nothing is left out without a name, so what is missing on a wire stands here by its name."),
      el("ul", { class: "legend" },
        el("li", {}, el("span", { class: "cell whole" }, "•"), " whole"),
        el("li", {}, el("span", { class: "cell lossy" }, "2"), " left behind, by name"),
        el("li", {}, el("span", { class: "cell bad" }, "×"), " refused"),
        el("li", {}, "C, M, R: Chat Completions, Messages, Responses"))),
    el("form", { class: "filter", role: "search", onsubmit: (event) => event.preventDefault() },
      el("label", { for: "filter" }, "Find"), filter,
      el("fieldset", {}, el("legend", { class: "unseen" }, "Which cases"), choices), found),
    sections);
  // Up and down go along the cases that are shown.
  made.addEventListener("keydown", (event) => {
    const links = [...made.querySelectorAll("li:not([hidden]) > a")].filter((link) => link.offsetParent);
    const at = links.indexOf(document.activeElement);
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (!step || (at < 0 && document.activeElement !== filter)) return;
    const to = at < 0 && step < 0 ? null : links[at + step] ?? (at + step < 0 ? filter : null);
    to?.focus();
    event.preventDefault();
  });
  apply();
  return made;
}
