// A stream as a table: a row for each step, the neutral events of it, and a timeline of frames for each wire.

// The parts of a frame: its fields other than data, and its data.
function partsOf(frame) {
  const fields = [];
  const data = [];
  for (const row of frame.split(/\r\n|\n|\r/)) {
    if (row === "") continue;
    const found = /^(data|event|id|retry): ?(.*)$/s.exec(row);
    if (found?.[1] === "data") data.push(found[2]);
    else fields.push(found ? [found[1], found[2]] : ["", row]);
  }
  return { fields, data: data.join("\n") };
}

function eventElement(number, name, fields) {
  return el("div", { class: "event", "data-event": String(number) },
    el("b", {}, el("span", { class: "number" }, String(number + 1)), name),
    fields === "{}" ? null : el("code", { class: "fields" }, tokens(fields)));
}

// What a frame reads back as.
function readElement([number, ...rest], names, texts) {
  if (number < 0) return el("li", { class: "odd" }, el("b", {}, rest[0][0]), el("code", { class: "fields" }, tokens(texts[rest[0][1]])));
  return el("li", { "data-reads": String(number) }, el("span", { class: "number" }, String(number + 1)), names[number],
    rest.length ? el("small", {}, el("span", { class: "unseen" }, " other in "), el("span", { "aria-hidden": "true" }, " \u2260 "), rest.slice(0, 2).join(", "), rest.length > 2 ? ` and ${rest.length - 2} more` : "") : null);
}

function frameElement(frame, texts, known, names, own) {
  const text = texts[frame.text];
  const { fields, data } = partsOf(text);
  const name = fields.find(([key]) => key === "event")?.[1];
  const others = fields.filter(([key]) => key !== "event");
  const reads = frame.reads ?? [];
  return el("div", { class: `frame${own ? " sent" : ""}` },
    name ? el("b", { class: "t-event" }, name) : null,
    others.map(([key, value]) => el("code", { class: "data" }, key ? `${key}: ${value}` : value)),
    data ? el("code", { class: "data" }, tokens(data, known)) : null,
    own ? null : el("ul", { class: "reads", "aria-label": "Reads back as" }, reads.map((each) => readElement(each, names, texts)), reads.length ? null : el("li", { class: "none" }, "no event")));
}

function streamView(view, texts, number, show) {
  const wires = WIRES.filter((wire) => view.steps.some((step) => wire in step));
  const names = view.steps.flatMap((step) => step.events.map(([name]) => name));
  const saidAt = Object.fromEntries(wires.map((wire) => [wire, new Map()]));
  view.steps.forEach((step, row) => wires.forEach((wire) => step[wire]?.frames.forEach((frame) => (frame.reads ?? []).forEach(([event]) => event >= 0 && saidAt[wire].set(event, row)))));
  const known = Object.fromEntries(wires.map((wire) => [wire, new Map()]));
  let event = 0;

  const head = el("tr", {},
    el("th", { scope: "col" }, "Neutral events"),
    wires.map((wire) => el("th", { scope: "col", "data-wire": wire }, WIRE_NAMES[wire], wire === view.own ? el("span", { class: "head" }, "as it was sent") : null, view.sources?.[wire] ? fileElement(view.sources[wire]) : null)));

  function cell(step, wire, row, first) {
    const its = step[wire] ?? { frames: [] };
    const frames = its.frames.map((frame) => frameElement(frame, texts, known[wire], names, wire === view.own));
    const notes = (its.losses ?? []).map(([name, path]) => el("p", { class: "losses", "data-loss": name }, "left behind ", el("code", { class: "tag" }, name), " ", path));
    if (!frames.length) {
      const later = step.events.map((_, at) => saidAt[wire].get(first + at)).filter((at) => at !== undefined && at !== row);
      const word = wire === view.own ? "end of input" : later.length ? `${later[0] > row ? "waits for" : "said with"} step ${later[0] + 1}` : step.events.length ? "shows nothing here" : "";
      if (!notes.length) notes.push(el("p", { class: "quiet" }, word));
    }
    return el("td", { tabindex: "-1", class: frames.length ? "has" : "has-not", "data-wire": wire, "data-row": String(row), "data-label": WIRE_SHORT[wire] }, frames, notes);
  }

  const rows = view.steps.map((step, row) => {
    const first = event;
    event += step.events.length;
    return el("tr", { id: `v${number}-step-${row}` },
      el("th", { scope: "row", tabindex: "-1", "data-row": String(row) },
        step.events.map(([name, fields], at) => eventElement(first + at, name, texts[fields])),
        step.events.length ? null : el("p", { class: "quiet" }, "no event")),
      wires.map((wire) => cell(step, wire, row, first)));
  });
  const table = el("table", { class: `steps n${wires.length}`, "aria-label": "Events and frames; arrow keys move through the cells" }, el("thead", {}, head), el("tbody", {}, rows));

  // One stop for the Tab key; arrows go on from there.
  const cells = () => [...table.tBodies[0].rows].map((row) => [...row.cells].filter((each) => each.offsetParent));
  table.tBodies[0].rows[0]?.cells[0].setAttribute("tabindex", "0");
  function enter(to) {
    table.querySelectorAll("[tabindex='0']").forEach((each) => each.setAttribute("tabindex", "-1"));
    to.setAttribute("tabindex", "0");
    to.focus();
    to.scrollIntoView({ block: "nearest", inline: "nearest" });
  }
  table.addEventListener("keydown", (pressed) => {
    const at = pressed.target.closest("td, tbody th");
    if (!at || pressed.altKey || pressed.ctrlKey || pressed.metaKey) return;
    const grid = cells();
    const row = grid.findIndex((its) => its.includes(at));
    const column = grid[row].indexOf(at);
    const to = { ArrowDown: [row + 1, column], ArrowUp: [row - 1, column], ArrowRight: [row, column + 1], ArrowLeft: [row, column - 1], Home: [0, column], End: [grid.length - 1, column] }[pressed.key];
    const found = to && grid[to[0]]?.[to[1]];
    if (found) enter(found);
    if (to) pressed.preventDefault();
  });
  const mark = (number) => table.querySelectorAll(".linked").forEach((each) => each.classList.remove("linked")) ?? (number === null ? null : table.querySelectorAll(`[data-event="${number}"], [data-reads="${number}"]`).forEach((each) => each.classList.add("linked")));
  const events = (target) => [...(target.closest(".frame, .event, td, th")?.querySelectorAll("[data-event], [data-reads]") ?? [])];
  const over = (moved) => {
    const near = moved.target.closest("[data-event], [data-reads]") ?? events(moved.target)[0] ?? null;
    mark(near === null ? null : near.dataset.event ?? near.dataset.reads);
  };
  table.addEventListener("mouseover", over);
  table.addEventListener("focusin", over);
  table.addEventListener("mouseleave", () => mark(null));

  const stops = Object.entries(view.refused ?? {}).map(([wire, error]) =>
    el("section", { class: "refusals", "data-wire": wire, "aria-label": "Refused" },
      el("p", { "data-code": error.code }, el("code", { class: "tag bad" }, error.code), ` ${WIRE_NAMES[wire]}: ${error.message} `, error.path ? el("code", {}, error.path) : null)));
  show(null);
  return { made: el("div", { class: "stream" }, table, stops), at: () => false, clear: () => mark(null), wires };
}

// The last word of a stream that must be refused.
function verdictOf(view, texts) {
  for (const step of view.steps) for (const [name, fields] of step.events) if (name === "TurnFailed") return JSON.parse(texts[fields]).error;
  return null;
}
