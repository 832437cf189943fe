/* The player of the book: pictures, derivations, guesses and exercises of a page. Data come as scripts that call
   book.scene(id, …), book.derivation(…), book.guess(…), book.exercise(…) and book.search(…): from a file a page may
   run scripts, but not fetch. What a reader without this script sees stands in the page already. */
"use strict";

const book = (() => {
  const KEPT = 64;  // frames of a scene that stay decoded
  const all = (selector, within = document) => [...within.querySelectorAll(selector)];
  const make = (tag, about, ...within) => {
    const made = Object.assign(document.createElement(tag), about);
    made.append(...within);
    return made;
  };
  const upright = matchMedia("(max-width: 36rem)");  // as page.html has it
  const mount = (kind, id) => document.getElementById(`${kind}-${id}`);
  const say = (place, text, mark = "") => {
    if (place.textContent !== text) place.textContent = text;
    if (mark) place.dataset.mark = mark;
  };

  /** What was done on this page, for who comes back to it: id -> guesses, answer, lines. */
  const memory = (() => {
    try { return JSON.parse(sessionStorage.getItem(location.pathname)) ?? {}; } catch { return {}; }
  })();
  function keep(id, done) {
    memory[id] = done;
    try { sessionStorage.setItem(location.pathname, JSON.stringify(memory)); } catch { /* a file may keep nothing */ }
  }

  /* ---- Pictures that follow their controls ---- */

  function scene(id, data) {
    const figure = mount("scene", id), folder = figure.dataset.folder, sheet = figure.querySelector(".sheet");
    const places = [".headline", ".second", "figcaption"].map((part) => figure.querySelector(`${part} .now`));
    const boxes = all(".control", figure), base = sheet.querySelector(".base img"), reset = figure.querySelector(".reset");
    const at = data.controls.map((control, k) => position(boxes[k], control));
    const setting = (places) => places.reduce((n, place, k) => n * data.controls[k].texts.length + place, 0);
    const shape = () => (data.upright && upright.matches ? data.upright : data);
    const file = (n) => `${shape() === data ? "" : "u"}${data.frame ? data.frame[n] : n}`;
    const kept = new Map();  // name of a file -> promise of its decoded picture, the oldest first
    let asked = 0, shown = 0;

    function picture(number) {
      const found = kept.get(number) || load(`${folder}/${number}.png`);
      kept.delete(number);
      kept.set(number, found);
      if (kept.size > KEPT) kept.delete(kept.keys().next().value);
      return found;
    }

    function load(source) {
      const image = Object.assign(new Image(shape().width, shape().height), { src: source, alt: "", className: "frame" });
      return image.decode().then(() => image);
    }

    /** A scene that the page draws has no frames: its marks follow. */
    const names = data.controls.map((control) => control.name), where = () => Object.fromEntries(names.map((name, k) => [name, at[k]]));
    const drawn = data.hand && hands.mount(sheet, data.hand, where(), {
      move(name, place) {
        const k = names.indexOf(name);
        put(boxes[k], { ...data.controls[k], start: place });
        settle(k, place);
        told();
      },
      say(words) { places.forEach((each, k) => { if (each) say(each, words[k] ?? ""); }); },
    });
    if (drawn) {
      figure.querySelector(".stage").classList.add("drawn");
      scrollers();  // it is as wide as the page now
      fold(reset.form, boxes.filter((_, k) => drawn.picture.held.has(names[k])));
    }
    const told = () => figure.dispatchEvent(new CustomEvent("shown", { detail: { setting: where() } }));

    /** Move the slider that brings a yellow mark nearer to a pointer; of a tap, where x is null, by a step. */
    const spots = (n) => shape().spots[n];
    const grips = data.spots && hands.grips(sheet, (spot, x, y) => {
      const here = spots(setting(at))[spot], { width, height } = shape();
      const apart = (found) => (found ? Math.hypot((found[0] - x) * width, (found[1] - y) * height) : Infinity);
      let least = apart(here) - 1e-9, best = null;  // what leaves the mark alone is no slider of it
      data.controls.forEach(({ kind, texts }, k) => {
        if (kind !== "slider") return;
        const path = texts.map((_, place) => spots(setting(at.with(k, place)))[spot]);
        if (x === null && !best && path.some((found) => String(found) !== String(here))) best = [k, (at[k] + 1) % texts.length];
        if (x !== null) path.forEach((found, place) => { if (apart(found) < least) [least, best] = [apart(found), [k, place]]; });
      });
      if (!best) return;
      const [k, place] = best;
      put(boxes[k], { ...data.controls[k], start: place });
      move(k, place);
    });
    grips?.(spots(setting(at)));
    const yellow = grips && spots(setting(at)).find(Boolean), stage = sheet.parentElement;
    if (yellow && yellow[0] * sheet.offsetWidth > stage.clientWidth - 22) {  // on a phone it may lie beyond the edge
      stage.scrollLeft = yellow[0] * sheet.offsetWidth - stage.clientWidth / 2;
    }

    async function show(moved) {
      grips?.(spots(setting(at)));
      if (drawn) {
        drawn.show(where(), { tween: data.controls[moved].kind !== "slider" });
        told();
        return;
      }
      const turn = ++asked, n = setting(at), words = data.said[data.which[n]];
      const image = await picture(file(n)).catch(() => null);
      if (!image) {
        kept.delete(file(n));
        if (turn === asked) say(places[2], "This picture could not be loaded.");
        return;
      }
      if (turn < shown) return;  // a later one is there already
      shown = turn;
      const old = sheet.querySelector(".frame");
      if (data.controls[moved].kind !== "slider") hands.melt(old.querySelector("img") ?? old, sheet);
      if (old !== image) old.replaceWith(image);
      places.forEach((place, k) => { if (place) say(place, words[k]); });
      base.alt = [words[0], words[2]].filter(Boolean).join(". ");
      figure.dispatchEvent(new CustomEvent("shown", { detail: { setting: n } }));
      if (turn === asked) ahead(moved);
    }

    /** Fetch what the reader may ask for next: neighbours of the control in use first. */
    function ahead(moved) {
      if (drawn) return;
      for (const k of [...at.keys()].sort((a, b) => (b === moved) - (a === moved))) {
        for (const place of (k === moved ? [1, -1, 2, -2] : [1, -1]).map((by) => at[k] + by)) {
          if (place < 0 || place >= data.controls[k].texts.length) continue;
          picture(file(setting(at.with(k, place)))).catch(() => {});  // it will be asked for again, and said then
        }
      }
    }

    const move = (k, place) => { settle(k, place); show(k); };

    function settle(k, place) {
      at[k] = place;
      const { kind, texts } = data.controls[k], output = boxes[k].querySelector("output");
      if (output) say(output, texts[place]);
      if (kind === "slider") boxes[k].querySelector("input").setAttribute("aria-valuetext", texts[place]);
      reset.disabled = data.controls.every((control, each) => at[each] === control.start);
    }

    function restart(k) {
      put(boxes[k], data.controls[k]);
      settle(k, data.controls[k].start);
    }

    reset?.addEventListener("click", () => {
      data.controls.forEach((_, k) => restart(k));
      all(".control :is(input, select, button), .fold", figure).find((each) => each.offsetParent).focus();
      show(0);
    });
    data.controls.forEach((control, k) => {
      if (control.kind === "press") {  // behind the last comes the first
        boxes[k].querySelector("button").addEventListener("click", () => {
          if (at[k] % 2) for (const other of control.anew) restart(other);  // a game asks again
          move(k, (at[k] + 1) % control.texts.length);
        });
      } else {
        boxes[k].addEventListener("input", () => move(k, position(boxes[k], control)));
      }
      boxes[k].addEventListener("focusin", () => ahead(k));
      boxes[k].addEventListener("pointerenter", () => ahead(k));
    });
    if (data.upright) upright.addEventListener("change", () => { kept.clear(); show(0); });  // a phone is turned
    figure.dataset.ready = "";
    if (data.controls.some((control, k) => at[k] !== control.start)) show(0);  // moved before the data came
  }

  const HOLDS = { slider: "value", select: "selectedIndex", check: "checked" };  // a control's place
  function position(box, { kind, start }) {
    if (kind === "buttons") return Number(box.querySelector("input:checked").value);
    return kind === "press" ? start : Number(box.querySelector("input, select")[HOLDS[kind]]);
  }

  /** Back to where it was at first. */
  function put(box, { kind, start }) {
    if (kind === "buttons") all("input", box)[start].checked = true;
    else if (kind !== "press") box.querySelector("input, select")[HOLDS[kind]] = start;
  }

  /** On a phone the sliders of marks that one takes in hand are folded, or the others would be far from the picture. */
  function fold(form, sliders) {
    const button = make("button", { type: "button", className: "fold", ariaExpanded: "false" }, "Sliders");
    button.addEventListener("click", () => { button.ariaExpanded = String(button.ariaExpanded === "false"); });
    for (const each of sliders) each.classList.add("held");
    form.prepend(button);
  }

  /** A thumb that scrolls the page across a slider leaves the slider where it was. */
  function guard(slider) {
    let before = slider.value;
    slider.addEventListener("pointerdown", () => { before = slider.value; });
    slider.addEventListener("pointercancel", () => {
      if (slider.value === before) return;
      slider.value = before;
      slider.dispatchEvent(new Event("input", { bubbles: true }));
    });
  }

  const unveil = (figure) => { delete figure.dataset.after; };

  /** A scene's data are fetched when it comes near. */
  const near = new IntersectionObserver((entries) => {
    for (const { isIntersecting, target } of entries) {
      if (!isIntersecting) continue;
      near.unobserve(target);
        const files = "hand" in target.dataset ? ["hand.js", "scene.js"] : ["scene.js"];
      document.head.append(...files.map((file) => make("script", { src: `${target.dataset.folder}/${file}`, async: false })));
    }
  }, { rootMargin: "150% 0px" });

  /** What is wider than the page scrolls in its own box, by keyboard too. */
  function scrollers() {
    for (const box of all(".output, .table, .formula, .stage")) {
      if (box.scrollWidth > box.clientWidth + 1) Object.assign(box, { tabIndex: 0, role: "region", ariaLabel: "Scrolls sideways" });
      else box.removeAttribute("tabindex");
    }
  }

  /* ---- Derivations ---- */

  function derivation(id, data) {
    const box = mount("derivation", id), rows = all("ol > li", box), world = box.querySelector("input");
    const [back, next, rest, about] = [".back", ".next", ".rest", "output"].map((name) => box.querySelector(name));
    const questions = all(".question", box), done = memory[box.id] ?? { shown: 1, chosen: {} }, answered = new Set();
    let { shown } = done;

    function draw() {
      const now = data.worlds[world.value];
      say(about, now.about || world.value);
      world.setAttribute("aria-valuetext", now.about ? `${world.value}: ${now.about}` : world.value);
      rows.forEach((row, k) => {
        const open = data.choices.some((lines, c) => lines.includes(k) && !answered.has(c));
        row.classList.toggle("todo", k >= shown);
        row.classList.toggle("open", open);
        say(row.querySelector("code"), now.values[k]);
        const [mark, words] = verdict(data.lines[k], now.holds[k]);
        row.querySelector(".value b").className = mark;
        say(row.querySelector(".value b"), words);
      });
      back.disabled = shown === 1;
      const open = data.choices.filter((_, c) => !answered.has(c)).map((lines) => Math.max(...lines) + 1);
      next.disabled = shown >= Math.min(rows.length, ...open);  // the next line may give an answer away
      rest.disabled = shown === rows.length;
      questions.forEach((question, c) => {
        question.hidden = answered.has(c);
        all("button", question).forEach((button) => { button.disabled = shown <= Math.max(...data.choices[c]); });
      });
    }

    const step = (to) => {
      shown = Math.min(Math.max(to, 1), rows.length);
      keep(box.id, { ...done, shown });
      draw();
      scrollers();  // what was closed had no width
      (shown < rows.length ? rows[shown - 1] : box.lastElementChild).scrollIntoView({ block: "nearest" });
    };
    const choose = (c, k) => {
      const true_ = data.choices[c].find((line) => data.lines[line].printed === null);
      const words = k === true_ ? `✓ Line ${k + 1} holds` : `✗ Line ${k + 1} is false, and line ${true_ + 1} holds`;
      answered.add(c);
      done.chosen[c] = k;
      say(box.querySelector(".reply"), `${words}: compare the numbers.`, k === true_ ? "right" : "wrong");
    };
    back.addEventListener("click", () => step(shown - 1));
    next.addEventListener("click", () => step(shown + 1));
    rest.addEventListener("click", () => step(rows.length));
    world.addEventListener("input", draw);
    questions.forEach((question, c) => all("button", question).forEach((button) => {
      button.addEventListener("click", () => { choose(c, Number(button.value)); step(shown); });
    }));
    reveal.set(box.id, (row) => { if (rows.indexOf(row) >= shown) step(rows.indexOf(row) + 1); });
    Object.entries(done.chosen).forEach(([c, k]) => choose(Number(c), k));
    draw();
  }

  function verdict(line, holds) {
    if (line.printed !== null) return ["miss", `✗ ${line.printed}: these numbers ${holds ? "happen to agree" : "refute it"}`];
    if (holds === null) return ["first", "start here"];
    return holds ? ["holds", "✓"] : ["miss", "✗ disagrees with the line before"];
  }

  /** A link to a line shows it: id of the derivation -> what shows a row. */
  const reveal = new Map();
  function arrive() {
    if ((location.hash === "#present") !== (current >= 0)) present(current < 0 ? nearest() : -1);
    const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    const box = target?.closest(".derivation");
    if (!box || target === box) return;
    reveal.get(box.id)?.(target);
    target.scrollIntoView({ block: "center" });
  }

  /* ---- Guesses and exercises ---- */

  function guess(id, data) {
    const box = mount("guess", id), buttons = all("button", box);
    let first = null;
    const choose = (chosen) => {
      const right = chosen === data.answer;
      const before = first === null || first === chosen ? "" : ` (your first guess: ${first})`;
      first ??= chosen;
      for (const each of buttons) each.setAttribute("aria-pressed", each.textContent === chosen);
      const words = right ? `✓ ${chosen}: yes` : `✗ ${chosen}: no, it is “${data.answer}”`;
      say(box.querySelector(".reply"), `${words}${before}. ${data.because}`, right ? "right" : "wrong");
      keep(box.id, [first, chosen]);
      all(`[data-after="${box.id}"]`).forEach(unveil);
    };
    for (const button of buttons) button.addEventListener("click", () => choose(button.textContent));
    for (const chosen of memory[box.id] ?? []) choose(chosen);
  }

  function exercise(id, data) {
    const box = mount("exercise", id), form = box.querySelector("form");
    const reply = (typed) => {
      const [status, words] = judge(data, typed), plain = words.slice(data.name.length + 2);  // its name is the code's
      say(box.querySelector(".reply"), plain[0].toUpperCase() + plain.slice(1), status);
      keep(box.id, typed);
    };
    form?.addEventListener("submit", (event) => { event.preventDefault(); reply(form.querySelector("input").value); });
    if (memory[box.id]) reply(form.querySelector("input").value = memory[box.id]);
  }

  /** What calibtutor.teach.exercise says to the same answer: ["right" | "wrong" | "blank", words]. */
  function judge(data, typed) {
    const text = typed.trim().replace(/^(["'“])(.*)["'”]$/, "$2").trim(), { name } = data;
    if (!text) return ["blank", `${name}: not yet. Put your answer in.`];
    const found = data.kind === "word" ? text : parse(text, data.kind);
    if (found === null) return ["wrong", `${name}: expected ${data.kind === "number" ? "a number" : "numbers"}, got “${text}”.`];
    if (data.kind === "word" && parse(text, "number") !== null) return ["wrong", `${name}: expected a word, got ${text}.`];
    const same = (wanted) => agree(found, wanted, data.tolerance);
    if (same(data.reference) || data.accept.some(same)) return ["right", `${name}: right. ${data.explanation}`];
    const mistake = data.mistakes.find(([wrong]) => same(wrong));
    if (mistake) return ["wrong", `${name}: ${mistake[1]}`];
    const shown = data.kind === "word" ? `“${text}”` : data.kind === "number" ? six(found) : text;
    return ["wrong", `${name}: ${shown} is not it. ${data.hint}`];
  }

  function parse(text, kind) {
    let plain = text.replaceAll("−", "-").replace(/^[[(]|[\])]$/g, "");
    if (kind === "number") {  // 1,500 has its thousands marked, 5,03 a decimal comma
      plain = /^-?[1-9]\d{0,2}(,\d{3})+(\.\d*)?$/.test(plain) ? plain.replaceAll(",", "") : plain.replace(/^(-?\d*),(\d+)$/, "$1.$2");
    }
    const numbers = plain.split(/[\s,;]+/).filter(Boolean).map((part) => {
      const [top, bottom = "1", ...more] = part.split("/");  // 3/4 is a number too
      return top && bottom && !more.length ? Number(top) / Number(bottom) : NaN;
    });
    if (!numbers.length || numbers.some((number) => !Number.isFinite(number))) return null;
    return kind === "numbers" ? numbers : numbers.length === 1 ? numbers[0] : null;
  }

  function agree(found, wanted, tolerance) {
    if (typeof found === "string" || typeof wanted === "string") {
      return typeof found === typeof wanted && found.trim().toLowerCase() === wanted.trim().toLowerCase();
    }
    const [a, b] = [[found].flat(), [wanted].flat(Infinity)];
    const slack = tolerance * Math.max(...b.map(Math.abs)) + 1e-7;
    return a.length === b.length && a.every((value, k) => Math.abs(value - b[k]) <= slack);
  }

  /** Six digits, as Python's %g writes them. */
  function six(value) {
    const [digits, power] = value.toExponential(5).split("e").map(Number);
    if (value === 0 || (power >= -4 && power < 6)) return String(Number(value.toPrecision(6)));
    return `${digits}e${power < 0 ? "-" : "+"}${String(Math.abs(power)).padStart(2, "0")}`;
  }

  /* ---- Presenting: one picture, derivation or guess a screen, while the address ends in #present ---- */

  const stops = all("article > :is(.scene, .picture, .derivation, .guess)");
  const headings = all("article :is(h1, h2)");
  let current = -1;  // which of them is on the screen; -1: the page is

  /** The first of which more than half is in or below the window, or the last. */
  function nearest() {
    const found = stops.findIndex((stop) => { const { top, bottom } = stop.getBoundingClientRect(); return top + bottom > 0; });
    return found < 0 ? stops.length - 1 : found;
  }

  /** Put one on the screen; or, with -1, the page, where one has been. */
  function present(number) {
    const stop = stops[number] ?? stops[current];
    if (!stop) return;
    stops[current]?.classList.remove("current");
    current = number;
    stop.classList.toggle("current", current >= 0);
    stop.dataset.section = headings.findLast((each) => each.compareDocumentPosition(stop) & 4)?.firstChild.data ?? "";
    document.documentElement.classList.toggle("presenting", current >= 0);
    say(document.querySelector("#present [role=status]"), `${current + 1} of ${stops.length}`);
    stop.tabIndex = -1;
    stop.focus({ preventScroll: true });
    stop.scrollIntoView({ behavior: "instant", block: current < 0 ? "center" : "start" });
    scrollers();
  }

  function presenter() {
    function turn(by) {
      if (by > 0 && "after" in stops[current].dataset) unveil(stops[current]);  // the hall has voted
      else if (stops[current + by]) present(current + by);
    }
    all("#present button").forEach((button) => button.addEventListener("click", () => turn(Number(button.value))));
    addEventListener("keydown", (event) => {
      if (current < 0 || event.altKey || event.ctrlKey || event.metaKey) return;
      if (event.key === "Escape") document.querySelector("#present a").click();
      const by = { ArrowRight: 1, PageDown: 1, ArrowLeft: -1, PageUp: -1 }[event.key];
      if (!by || (event.key.startsWith("Arrow") && event.target.matches("input, select"))) return;
      event.preventDefault();
      turn(by);
    });
  }

  /* ---- The page ---- */

  let entries = null;  // {title, href, where, words, known: all of it, flat}, once somebody searches
  const GREEK = ("alpha α beta β gamma γ delta δ epsilon ε zeta ζ eta η theta θ iota ι kappa κ lambda λ mu μ nu ν xi ξ " +
    "pi π rho ρ sigma σ tau τ upsilon υ phi φ chi χ psi ψ omega ω").split(" ");
  /** Small letters without accents, as many as before. */
  const flat = (text) => text.toLowerCase().replace(/[À-ɏ]/g, (letter) => letter.normalize("NFD")[0]);
  /** Where a word stands in a flat text: with hyphens or without, a Greek letter also by its name. */
  function pattern(word) {
    const k = GREEK.indexOf(word);
    if (k >= 0) return new RegExp(k % 2 ? `${word}|\\b${GREEK[k - 1]}\\b` : `${word}|${GREEK[k + 1]}`);  // π is in no picture
    const plain = word.replace(/(?<=\p{L})[-‐‑](?=\p{L})/gu, "").replace(/[.*+?^${}()|[\]\\/-]/g, "\\$&");
    return new RegExp(plain.replace(/(?<=\p{L})(?=\p{L})/gu, "[-‐‑]?"));
  }
  const AROUND = [50, 110];  // letters before and behind what was found among a section's words

  function look() {
    const box = document.getElementById("search"), list = document.getElementById("found");
    const asked = flat(box.value).split(/\s+/).filter(Boolean).map(pattern);
    const rank = ({ title, words }) => {  // a title that begins so, one that has it, the glossary, words
      const name = flat(title);
      if (asked.every((word) => word.test(name))) return name.search(asked[0]) ? 1 : 0;
      return words ? 3 : 2;
    };
    const hits = !asked.length || !entries ? [] : entries
      .filter(({ known }) => asked.every((word) => word.test(known)))
      .sort((a, b) => rank(a) - rank(b));
    const none = make("li", {}, make("small", {}, "Nothing found"));
    list.replaceChildren(...hits.length ? hits.slice(0, 20).map((hit) => (
      make("li", {}, make("a", { href: hit.href }, ...marked(hit.title, asked),
        make("small", {}, ...marked(hit.where, asked)), ...around(hit.words, asked)))
    )) : [none]);
    list.hidden = !asked.length || !entries;
    if (asked.length && entries) say(document.querySelector(".search [role=status]"), `${hits.length} found`);
  }

  /** A text with what is asked for marked in it. */
  function marked(text, asked) {
    let end = 0;
    return flat(text).split(new RegExp(`(${asked.map(({ source }) => source).join("|")})`)).map((part, k) => {
      const own = text.slice(end, end += part.length);
      return k % 2 ? make("mark", {}, own) : own;
    });
  }

  /** The words around the first place where one of those asked for stands, if there is any. */
  function around(words, asked) {
    const places = asked.map((word) => flat(words).search(word)).filter((place) => place >= 0);
    if (!places.length) return [];
    const place = Math.min(...places), [before, behind] = AROUND;
    const from = place > before ? words.indexOf(" ", place - before) + 1 : 0;
    const end = words.indexOf(" ", place + behind), to = end < 0 ? words.length : end;
    const cut = `${from ? "… " : ""}${words.slice(Math.min(from, place), to)}${to < words.length ? " …" : ""}`;
    return [make("small", { className: "around" }, ...marked(cut, asked))];
  }

  function search(found) {
    entries = found.map(([title, href, where, words]) => (
      { title, href, where, words, known: flat(`${title} ${where} ${words}`) }));
    look();
  }

  function page() {
    const box = document.getElementById("search"), list = document.getElementById("found");
    box.addEventListener("focus", () => {
      if (!entries) document.head.append(make("script", { src: "search.js" }));
    }, { once: true });
    box.addEventListener("input", look);
    box.form.addEventListener("submit", (event) => {
      event.preventDefault();
      list.querySelector("a")?.click();
    });
    box.form.addEventListener("keydown", (event) => {
      const stops = [box, ...all("a", list)], k = stops.indexOf(document.activeElement);
      const to = { ArrowDown: k + 1, ArrowUp: k - 1 }[event.key];
      if (to === undefined || !stops[to]) return;
      event.preventDefault();
      stops[to].focus();
    });
    const seek = document.querySelector(".seek");  // a phone's: the search comes to where one is
    const leave = () => {
      list.hidden = true;
      document.documentElement.classList.remove("seeking");
    };
    seek.addEventListener("click", () => {
      document.documentElement.classList.add("seeking");
      box.focus({ preventScroll: true });
      box.select();
      look();
    });
    list.addEventListener("click", leave);
    addEventListener("keydown", (event) => {
      if (event.key !== "Escape") return;
      if (document.documentElement.matches(".seeking")) seek.focus();
      leave();
    });
    addEventListener("pointerdown", (event) => { if (!box.form.contains(event.target) && event.target.closest("button") !== seek) leave(); });
    document.querySelector(".theme").addEventListener("click", () => {
      const root = document.documentElement, dark = matchMedia("(prefers-color-scheme: dark)").matches;
      root.dataset.theme = (root.dataset.theme || (dark ? "dark" : "light")) === "dark" ? "light" : "dark";
      try { localStorage.setItem("theme", root.dataset.theme); } catch { /* a file may keep nothing */ }
    });
    const place = document.querySelector(".contents .where"), marks = all("h2[id]");
    const wide = matchMedia("(min-width: 75rem)");  // there the contents stand beside the text
    if (place) addEventListener("scroll", () => {
      const mark = wide.matches ? null : marks.findLast((each) => each.getBoundingClientRect().top < 120);
      say(place, mark ? `: ${document.querySelector(`.contents [href="#${mark.id}"]`).textContent}` : "");
    }, { passive: true });
    place?.closest("nav").addEventListener("click", (event) => {
      if (event.target.closest("a") && !wide.matches) place.closest("details").open = false;
    });
    all("form.controls").forEach((form) => form.addEventListener("submit", (event) => event.preventDefault()));
    all(".scene").forEach((figure) => near.observe(figure));
    all("input[type=range]").forEach(guard);
    all(".veil").forEach((button) => button.addEventListener("click", () => unveil(button.closest(".scene"))));
    presenter();
    addEventListener("resize", scrollers);
    scrollers();
    addEventListener("hashchange", arrive);
    addEventListener("beforeprint", () => all("img").forEach((image) => { image.loading = "eager"; }));
    addEventListener("load", arrive);
  }

  page();
  return { derivation, exercise, guess, judge, scene, search };
})();
