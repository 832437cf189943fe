/* Pictures that are taken in hand: marks drawn in the page, which follow a pointer, a key or a slider within a frame.

     hands.scene("coin", (pic, table) => { …; return (values, places) => [headline, second line, sentence]; });

   A scene draws once, at the width that the page has, and returns what moves its marks for the values of its controls.
   What is computed comes from Python as `table`; here it is looked up, interpolated or summed. A mark is a list of
   numbers: between two states that a menu chooses it goes from one list to the other within 250 ms.
   Both pages use this file: the book's as it stands, JupyterLab's as the module of an anywidget. */
"use strict";
const hands = (() => {
  const SVG = "http://www.w3.org/2000/svg", TWEEN = 250, NARROW = 560;
  const scenes = {};
  const still = matchMedia("(prefers-reduced-motion: reduce)");

  const draw = (tag, about = {}, ...within) => {
    const made = document.createElementNS(SVG, tag);
    for (const [name, value] of Object.entries(about)) made.setAttribute(name, value);
    made.append(...within);
    return made;
  };
  const put = (node, about) => { for (const [name, value] of Object.entries(about)) node.setAttribute(name, value); };
  const clip = (x, low, high) => Math.min(Math.max(x, low), high);
  const px = (x) => Math.round(x * 100) / 100;

  /* ---- Numbers as Python writes them ---- */

  /** f"{x:.{digits}f}", a half rounded to even; `minus` is the sign of what is negative. */
  function fixed(x, digits, { sign = false, minus = "−" } = {}) {
    let text = Math.abs(x).toFixed(digits);
    const power = 10 ** digits, half = Math.abs(x) * power;
    if (Number.isInteger(Math.abs(x) * 2 ** (digits + 1)) && (2 * half) % 2 === 1) {  // a half that is one in binary
      text = ((Math.floor(half) + (Math.floor(half) % 2)) / power).toFixed(digits);
    }
    return (x < 0 || Object.is(x, -0) ? minus : sign ? "+" : "") + text;
  }
  /** f"{x:.{digits}g}" of a number above 0. */
  function general(x, digits) {
    const [shown, power] = x.toExponential(digits - 1).split("e"), bare = (text) => (text.includes(".") ? text.replace(/\.?0+$/, "") : text);
    if (power < -4 || power >= digits) return `${bare(shown)}e${power[0]}${power.slice(1).padStart(2, "0")}`;
    return bare(x.toFixed(digits - 1 - power));
  }
  const percent = (x, digits = 0) => `${fixed(100 * x, digits)}%`;
  const thousands = (n) => String(n).replace(/\B(?=(\d{3})+$)/g, ",");
  const capital = (text) => text[0].toUpperCase() + text.slice(1);

  /* ---- One picture in a page ---- */

  /**
   * Draw a scene into an element and keep it as wide as that is.
   *
   * about: {scene, table, controls: {name: {label, values, texts}}, size: [width, height]}; at: {name: place};
   * move(name, place) is called when a hand moves a control; say(lines) with what the picture says.
   * Returns {show(at, {tween}), place}: a picture for other places of its controls.
   */
  function mount(host, about, at, { move = () => {}, say = () => {} } = {}) {
    const [width, height] = about.size;
    let pic, update, last = 0;

    function build() {
      const room = host.clientWidth || width;
      if (pic && room === last) return;
      last = room;
      const wide = clip(room, 240, width);  // in a lecture hall it is shown larger than it is drawn
      const narrow = wide < NARROW && innerHeight >= 480;  // not on a phone that lies on its side
      const tall = narrow ? Math.round(wide * (about.portrait ?? 1.15)) : Math.round((wide * height) / width);
      pic = picture(host, wide, tall, narrow, about, at, (name, place) => {
        if (at[name] === place) return;
        at = { ...at, [name]: place };
        show(false);
        move(name, place);
      });
      update = scenes[about.scene](pic, about.table);
      put(pic.root, { width: room, height: Math.round((room * tall) / wide) });
      show(false);
    }

    function show(tween) {
      const values = Object.fromEntries(Object.entries(about.controls).map(([name, each]) => [name, each.values[at[name]]]));
      pic.at = at;
      pic.moving = tween && !still.matches;
      const lines = update(values, at);
      pic.finish();
      say(lines);
      pic.root.setAttribute("aria-label", [lines[0], lines[2]].filter(Boolean).join(". "));
    }

    build();
    new ResizeObserver(build).observe(host);
    return {
      get picture() { return pic; },
      show(next, { tween = false } = {}) {
        if (Object.keys(next).every((name) => next[name] === at[name])) return;
        at = { ...at, ...next };
        show(tween);
      },
    };
  }

  function picture(host, width, height, narrow, about, at, move) {
    const root = draw("svg", { class: "hands", viewBox: `0 0 ${width} ${height}`, width, height, role: "group" });
    host.querySelector("svg.hands")?.remove();
    host.append(root);
    const marks = [];
    let frame = 0;
    const pic = {
      root, width, height, narrow, marks: {}, controls: about.controls, at, moving: false, move, held: new Set(),  // names that a handle moves
      /** Axes in a part of the picture: at [left, top, right, bottom] in shares of it, for narrow pages `narrow`. */
      panel(settings) { return panel(pic, settings); },
      add(mark) { marks.push(mark); if (mark.name) pic.marks[mark.name] = mark; return mark; },
      /** Put the marks where `update` wants them, at once or in TWEEN ms; a mark that `flies` follows a hand, too. */
      finish() {
        cancelAnimationFrame(frame);
        const moved = marks.filter((mark) => mark.wanted !== mark.shown);
        const free = (mark) => (pic.moving || (mark.flies && !still.matches)) && mark.shown && mark.shown.length === mark.wanted.length;
        for (const mark of moved.filter((each) => !free(each))) mark.render(mark.shown = mark.wanted);
        const flying = moved.filter((mark) => mark.wanted !== mark.shown).map((mark) => [mark, mark.shown, mark.wanted]);
        if (!flying.length) return;
        const start = performance.now();
        const step = (now) => {
          const t = clip((now - start) / TWEEN, 0, 1), ease = t * t * (3 - 2 * t);
          for (const [mark, from, to] of flying) {
            mark.shown = t < 1 ? from.map((x, k) => (x === to[k] ? x : x + (to[k] - x) * ease)) : to;
            mark.render(mark.shown);
          }
          if (t < 1) frame = requestAnimationFrame(step);
        };
        frame = requestAnimationFrame(step);
      },
    };
    return pic;
  }

  /* ---- Axes, and the marks of the course's grammar ---- */

  const TYPE = 12.5, LETTER = 7;  // pixels: of small type, and of one of its letters about

  function panel(pic, settings) {
    const { at = [0, 0, 1, 1], narrow = at, x: [x0, x1] = [0, 1], y: [y0, y1] = [0, 1], xticks = [], yticks = [], xlabel = "",
            ylabel = "", equal = false, frame = true, margin = null } = settings;
    const [l, t, r, b] = pic.narrow ? narrow : at;
    const texts = yticks.map((each) => String(Array.isArray(each) ? each[1] : each));
    const room = Math.max(0, ...texts.map((each) => each.length)) * LETTER;
    let left = l * pic.width + (ylabel ? 22 : 4) + (margin ?? (yticks.length ? room + 10 : 0)), right = r * pic.width - 8;
    let top = t * pic.height + 8, bottom = b * pic.height - (xlabel ? 24 : 4) - (xticks.length ? 20 : 0);
    if (equal) {  // one unit is as long on both axes
      const unit = Math.min((right - left) / (x1 - x0), (bottom - top) / Math.abs(y1 - y0));
      const cut = (bottom - top - unit * Math.abs(y1 - y0)) / 2;
      right = left + unit * (x1 - x0);
      [top, bottom] = [top + cut, bottom - cut];
    }
    const X = (x) => left + ((x - x0) / (x1 - x0)) * (right - left), Y = (y) => bottom - ((y - y0) / (y1 - y0)) * (bottom - top);
    const box = draw("g"), scale = draw("g", { class: "axes", "aria-hidden": "true" });
    pic.root.append(scale, box);
    if (frame) {
      if (xlabel || xticks.length) scale.append(draw("path", { d: `M${px(left)} ${px(bottom)}H${px(right)}` }));
      if (yticks.length) scale.append(draw("path", { d: `M${px(left)} ${px(top)}V${px(bottom)}` }));
    }
    for (const each of xticks) {
      const [x, text] = Array.isArray(each) ? each : [each, String(each)];
      scale.append(draw("path", { d: `M${px(X(x))} ${px(bottom)}v4` }), label(X(x), bottom + 18, text));
    }
    for (const [k, each] of yticks.entries()) {
      const y = Array.isArray(each) ? each[0] : each;
      scale.append(draw("path", { d: `M${px(left)} ${px(Y(y))}h-4` }), label(left - 8, Y(y) + 4, texts[k], "end"));
    }
    if (xlabel) scale.append(label((left + right) / 2, bottom + (xticks.length ? 38 : 20), xlabel));
    if (ylabel) {
      const [x, y] = [left - room - (yticks.length ? 20 : 8), (top + bottom) / 2];
      scale.append(draw("text", { x, y, "text-anchor": "middle", transform: `rotate(-90 ${px(x)} ${px(y)})` }, ylabel));
    }

    /** A mark: `wanted` is where it should be, in data; `render` puts it there. */
    const mark = (name, node, render) => {
      box.append(node);
      return pic.add({ name, node, axes, shown: null, wanted: null, render, set(points) { this.wanted = points; return this; } });
    };
    /** A mark of many parts, two paths of them: as `kind` says, and pale. */
    const parts = (name, style, length, one) => {
      const [full, pale] = [draw("path", style), draw("path", { ...style, class: `${style.class} pale` })];
      const made = mark(name, draw("g", {}, full, pale), (at) => {
        const d = ["", ""];
        for (let k = 0; k < at.length; k += length) if (at[k] === at[k]) d[made.pale[k / length] ? 1 : 0] += one(at, k);
        put(full, { d: d[0] });
        put(pale, { d: d[1] });
      });
      made.look = (kind, marker) => {
        for (const each of [full, pale]) put(each, { class: style.class.replace(/\S+$/, kind) + (each === pale ? " pale" : "") });
        if (marker) made.marker = marker;
      };
      return Object.assign(made, { pale: [] });
    };
    const look = (kind, { width = 0, dash = "", radius = 0 } = {}) => {
      const thick = width || 2 * radius;  // as a style: a sheet's width would win over an attribute's
      return { class: kind, style: (thick ? `stroke-width:${thick};` : "") + (dash ? `stroke-dasharray:${dash};` : "") };
    };
    const axes = {
      X, Y, left, right, top, bottom, box,
      x: (at) => x0 + ((at - left) / (right - left)) * (x1 - x0), y: (at) => y0 + ((bottom - at) / (bottom - top)) * (y1 - y0),
      /** A line through points [x, y, x, y, …]; NaN lifts the pen. */
      line(name, kind, style) {
        const node = draw("path", { fill: "none", ...look(`line ${kind}`, style) });
        return mark(name, node, (at) => put(node, { d: path(at) }));
      },
      /** A filled outline, [x, y, …]; NaN between two of them. */
      area(name, kind, style) {
        const node = draw("path", look(`area ${kind}`, style));
        return mark(name, node, (at) => put(node, { d: path(at).replace(/(?!^)(?=M|$)/g, "Z") }));
      },
      /** Lines from (x, y) to (x, y), [x, y, x, y, …] each; where `pale` is true they are. */
      stems(name, kind, style = {}) {
        return parts(name, { fill: "none", ...look(`line ${kind}`, { width: 9, ...style }) }, 4, (at, k) => (
          `M${px(X(at[k]))} ${px(Y(at[k + 1]))}L${px(X(at[k + 2]))} ${px(Y(at[k + 3]))}`
        ));
      },
      /** Stems of which each shines as `lit` says, 0 to 1. */
      lamps(name, kind, style = {}) {
        const node = draw("g"), about = { fill: "none", ...look(`line ${kind}`, { width: 9, ...style }) };
        const made = mark(name, node, (at) => {
          while (node.childNodes.length < at.length / 4) node.append(draw("path", about));
          node.childNodes.forEach((each, k) => {
            const [x, y, to, top] = at.slice(4 * k, 4 * k + 4);
            put(each, { d: `M${px(X(x))} ${px(Y(y))}L${px(X(to))} ${px(Y(top))}`, class: about.class, opacity: px(made.lit[k] ?? 1) });
          });
        });
        return Object.assign(made, { lit: [], look(next) { about.class = `line ${next}`; } });
      },
      /** Marks as large as `sizes` says, in pixels, of one shape, [x, y, …]; where `pale` is true they are. */
      discs(name, kind) {
        const made = parts(name, look(`area point ${kind}`), 2, (at, k) => (
          `M${px(X(at[k]))} ${px(Y(at[k + 1]))}${SHAPES[made.marker](made.sizes[k / 2] ?? 5)}`
        ));
        return Object.assign(made, { marker: "o", sizes: [] });
      },
      /** Many small round dots, [x, y, …]. */
      dots(name, kind, style = {}) {
        const node = draw("path", { fill: "none", "stroke-linecap": "round", ...look(`line ${kind}`, { radius: 2, ...style }) });
        return mark(name, node, (at) => {
          let d = "";
          for (let k = 0; k < at.length; k += 2) if (at[k] === at[k]) d += `M${px(X(at[k]))} ${px(Y(at[k + 1]))}h0`;
          put(node, { d });
        });
      },
      /** A large mark of a model, "o", "s", "^", "D", or a plain one; `set([x, y])`. */
      point(name, kind, { size = 6.5, marker = "o" } = {}) {
        const node = draw("path", { class: `area point ${kind}`, d: `M0 0${SHAPES[marker](size)}` });
        const made = mark(name, node, (at) => put(node, { transform: `translate(${px(X(at[0]))} ${px(Y(at[1]))})` }));
        made.look = (next, marker) => put(node, { class: `area point ${next}`, d: `M0 0${SHAPES[marker](size)}` });
        return made;
      },
      /** Arrows from (x, y) to (x, y), [x, y, x, y, …] each, so many pixels thick; short ones are all head. */
      arrows(name, kind, { width = 4 } = {}) {
        const node = draw("path", { class: `area ${kind}` });
        return mark(name, node, (at) => {
          let d = "";
          for (let k = 0; k < at.length; k += 4) {
            const [x, y, to, top] = [X(at[k]), Y(at[k + 1]), X(at[k + 2]), Y(at[k + 3])], long = Math.hypot(to - x, top - y);
            if (!(long > 0.5)) continue;
            const [u, v] = [(to - x) / long, (top - y) / long], tip = Math.min(4 * width, 0.6 * long), thin = tip / 8, wide = tip / 2.2;
            const by = (along, aside) => `${px(x + along * u - aside * v)} ${px(y + along * v + aside * u)}`;
            d += `M${by(0, thin)}L${by(long - tip, thin)}L${by(long - tip, wide)}L${by(long, 0)}L${by(long - tip, -wide)}L${by(long - tip, -thin)}L${by(0, -thin)}Z`;
          }
          put(node, { d });
        });
      },
      /** Words at a place: `say(text)`, `set([x, y])`, moved by [right, down] pixels. */
      words(name, kind, { anchor = "middle", by = [0, 0], size = TYPE, bold = false } = {}) {
        const node = draw("text", { class: kind, "text-anchor": anchor, "font-size": size, ...(bold && { "font-weight": 700 }) });
        const made = mark(name, node, (at) => put(node, { x: px(X(at[0]) + made.by[0]), y: px(Y(at[1]) + made.by[1] + size * 0.35) }));
        made.by = by;
        made.say = (text, { anchor: to, by: off } = {}) => {
          if (node.textContent !== text) node.textContent = text;
          if (to) node.setAttribute("text-anchor", to);
          if (off && String(off) !== String(made.by)) { made.by = off; if (made.wanted) made.wanted = [...made.wanted]; }
          return made;
        };
        return made;
      },
      /** What the reader chose, and moves: x and y name controls, or one of them does. `along(x, y)` gives their places. */
      handle(name, { x = null, y = null, along = null, label = "" }) {
        const node = draw("g", { class: "handle" }, draw("circle", { r: 22, class: "target" }), draw("circle", { r: 8, class: "choice" }));
        const made = mark(name, node, (at) => put(node, { transform: `translate(${px(X(at[0]))} ${px(Y(at[1]))})` }));
        hold(pic, axes, node, [x, y], along, label);
        const render = made.render;
        made.render = (at) => { render(at); said(pic, node, [x, y], label); };
        return made;
      },
      /** The place among a mark's points that is nearest to (x, y), or −1 beyond so many pixels. */
      near(mark, x, y, most) {
        let best = -1, least = most ** 2;
        for (let k = 0; k < mark.wanted.length; k += 2) {
          const square = (X(mark.wanted[k]) - X(x)) ** 2 + (Y(mark.wanted[k + 1]) - Y(y)) ** 2;
          if (square < least) [best, least] = [k / 2, square];
        }
        return best;
      },
      /** What is to be done where a tap, or a drag that begins, is: act(x, y). */
      surface(act, drag = false) {
        const node = draw("rect", { x: left, y: top, width: right - left, height: bottom - top, class: "target surface" });
        box.prepend(node);
        const to = (event) => {
          const [x, y] = where(pic, event);
          act(axes.x(x), axes.y(y));
        };
        node.addEventListener(drag ? "pointerdown" : "click", (event) => { if (drag) node.setPointerCapture(event.pointerId); to(event); });
        if (drag) node.addEventListener("pointermove", (event) => { if (node.hasPointerCapture(event.pointerId)) to(event); });
        return node;
      },
      /**
       * A map of cells, columns by rows from below, that a finger paints, or keys do with a brush: paint(column, row, begins),
       * said(column, row) in words. What lies on it, where inside(x, y), is dragged, drag(dx, dy, begins), and all of it is
       * pinched by two fingers: pinch(across, up, begins, painted) with ratios of their distances, and whether one has painted.
       */
      cells(columns, rows, { paint, said, inside, drag, pinch }) {
        const wide = (right - left) / columns, high = (bottom - top) / rows, fingers = new Map();
        const node = draw("rect", { x: left, y: top, width: right - left, height: bottom - top, class: "target surface painted" });
        const brush = draw("rect", { width: wide, height: high, class: "brush", tabindex: 0, role: "button" });
        let at = [0, rows - 1], mode = "", from = null;
        const cell = ([x, y]) => [clip(Math.floor((x - left) / wide), 0, columns - 1), clip(Math.floor((bottom - y) / high), 0, rows - 1)];
        const show = () => put(brush, { x: px(left + at[0] * wide), y: px(bottom - (at[1] + 1) * high), "aria-label": said(...at) });
        const stroke = (place, begins) => { at = cell(place); paint(...at, begins); show(); };
        const apart = () => { const [a, b] = [...fingers.values()]; return [0, 1].map((k) => Math.abs(a[k] - b[k])); };
        const listen = (kind, act) => pic.root.addEventListener(kind, act, true);  // before handles do: two fingers pinch wherever they lie
        listen("pointerdown", (event) => {
          if (!box.contains(event.target) || (!fingers.size && event.target.closest(".button"))) return;
          const place = where(pic, event), bare = event.target === node;
          fingers.set(event.pointerId, place);
          if (fingers.size === 2) {
            event.stopPropagation();
            event.preventDefault();
            from = apart();
            pinch(1, 1, true, mode === "paint");
            mode = "pinch";
          } else {
            from = place;
            mode = !bare || fingers.size > 2 ? "" : inside(axes.x(place[0]), axes.y(place[1])) ? "lies" : "paint";
            if (mode === "paint") stroke(place, true);
          }
          if (mode) node.setPointerCapture(event.pointerId);
        });
        listen("pointermove", (event) => {
          if (!fingers.has(event.pointerId)) return;
          const place = where(pic, event);
          fingers.set(event.pointerId, place);
          if (mode === "pinch") {
            event.stopPropagation();
            const now = apart();  // along the line of the fingers
            if (fingers.size === 2) pinch(...[0, 1].map((k) => (from[k] > 24 ? Math.max(now[k], 1) / from[k] : 1)), false);
          } else if (mode === "paint") stroke(place, false);
          else if (mode === "drag" || (mode === "lies" && Math.hypot(place[0] - from[0], place[1] - from[1]) > 4)) {
            drag(axes.x(place[0]) - axes.x(from[0]), axes.y(place[1]) - axes.y(from[1]), mode === "lies");
            mode = "drag";
          }
        });
        for (const end of ["pointerup", "pointercancel"]) listen(end, (event) => {
          if (fingers.delete(event.pointerId) && mode === "lies" && end === "pointerup") stroke(from, true);  // a tap paints here, too
          if (mode !== "pinch" || !fingers.size) mode = "";
        });
        brush.addEventListener("focus", show);
        brush.addEventListener("keydown", (event) => {
          const by = { ArrowRight: [1, 0], ArrowLeft: [-1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1], Enter: [0, 0], " ": [0, 0] }[event.key];
          if (!by || event.altKey || event.ctrlKey || event.metaKey) return;
          event.preventDefault();
          event.stopPropagation();
          at = [clip(at[0] + by[0], 0, columns - 1), clip(at[1] + by[1], 0, rows - 1)];
          if (!by[0] && !by[1]) paint(...at, true);
          show();
        });
        box.prepend(node);
        box.append(brush);
        show();
      },
      /** Words that are pressed, left of `set([x, y])`, and there if `shown_if(yes)`. */
      button(text, about, act) {
        const long = text.length * LETTER + 20;
        const node = draw("g", { class: "button", tabindex: 0, role: "button", "aria-label": about }, draw("rect", { x: -long, y: -22, width: long, height: 44, class: "target" }),
          draw("rect", { x: -long, y: -12, width: long, height: 24, rx: 5, class: "card" }), label(-long / 2, 4.5, text));
        node.addEventListener("click", act);
        node.addEventListener("keydown", (event) => { if (["Enter", " "].includes(event.key)) { event.preventDefault(); act(); } });
        const made = mark(null, node, (at) => put(node, { transform: `translate(${px(X(at[0]))} ${px(Y(at[1]))})` }));
        made.shown_if = (yes) => { node.style.display = yes ? "" : "none"; return made; };
        return made;
      },
      title(text) { scale.append(label(left, top - 10, text, "start")); },
    };
    return axes;

    function path(at) {
      let d = "", pen = "M";
      for (let k = 0; k < at.length; k += 2) {
        if (at[k] !== at[k] || at[k + 1] !== at[k + 1]) { pen = "M"; continue; }
        d += `${pen}${px(X(at[k]))} ${px(Y(at[k + 1]))}`;
        pen = "L";
      }
      return d;
    }
  }

  const label = (x, y, text, anchor = "middle") => draw("text", { x: px(x), y: px(y), "text-anchor": anchor }, text);
  const SHAPES = {  // of half-width s around the pen
    o: (s) => `m${-s} 0a${s} ${s} 0 1 0 ${2 * s} 0a${s} ${s} 0 1 0 ${-2 * s} 0z`,
    s: (s) => `m${-s} ${-s}h${2 * s}v${2 * s}h${-2 * s}z`,
    "^": (s) => `m0 ${-1.1 * s}l${1.1 * s} ${2.1 * s}h${-2.2 * s}z`,
    D: (s) => `m0 ${-1.3 * s}l${1.3 * s} ${1.3 * s}l${-1.3 * s} ${1.3 * s}l${-1.3 * s} ${-1.3 * s}z`,
    P: (s) => `m${-s / 3} ${-s}${"h b v b h b v b h -b v b h -b v -b h -b v -b h b z".replaceAll("-b", px((-2 * s) / 3)).replaceAll("b", px((2 * s) / 3))}`,
  };
  /** The colours and markers of the models, as calibtutor/plots.py has them. */
  const MODELS = {
    "random forest": ["forest", "o"], "logistic regression": ["logistic", "s"], "neural network": ["network", "^"],
    "naive Bayes": ["bayes", "D"], "decision tree": ["tree", "P"],
  };

  /* ---- The hand ---- */

  /** The place of the value that is nearest. */
  function nearest(values, wanted) {
    let best = 0;
    values.forEach((value, k) => { if (Math.abs(value - wanted) < Math.abs(values[best] - wanted)) best = k; });
    return best;
  }

  function hold(pic, axes, node, names, along, words) {
    const [x, y] = names, first = x ?? y;
    for (const name of names.filter(Boolean)) pic.held.add(name);
    put(node, { tabindex: 0, role: "slider", "aria-label": words || names.filter(Boolean).map((name) => pic.controls[name].label).join(", ") });
    const to = (event) => {
      const [left, top] = where(pic, event), at = [axes.x(left), axes.y(top)];
      const wanted = along ? along(...at) : { ...(x && { [x]: at[0] }), ...(y && { [y]: at[1] }) };
      for (const [name, value] of Object.entries(wanted)) pic.move(name, nearest(pic.controls[name].values, value));
    };
    node.addEventListener("pointerdown", (event) => {
      event.preventDefault();
      node.focus({ preventScroll: true });
      node.setPointerCapture(event.pointerId);
      node.classList.add("held");
    });
    node.addEventListener("pointermove", (event) => { if (node.hasPointerCapture(event.pointerId)) to(event); });
    for (const end of ["pointerup", "pointercancel"]) node.addEventListener(end, () => node.classList.remove("held"));
    node.addEventListener("keydown", (event) => {
      const keys = { ArrowRight: [x ?? y, 1], ArrowLeft: [x ?? y, -1], ArrowUp: [y ?? x, 1], ArrowDown: [y ?? x, -1],
                     PageUp: [first, 5], PageDown: [first, -5], Home: [first, -1e9], End: [first, 1e9] };
      if (!keys[event.key] || event.altKey || event.ctrlKey || event.metaKey) return;
      event.preventDefault();
      event.stopPropagation();
      const [name, by] = keys[event.key];
      pic.move(name, clip(pic.at[name] + by, 0, pic.controls[name].values.length - 1));
    });
  }

  /** A pointer's place in the picture's own pixels. */
  function where(pic, event) {
    const box = pic.root.getBoundingClientRect(), scale = pic.width / box.width;
    return [(event.clientX - box.left) * scale, (event.clientY - box.top) * scale];
  }

  /** A small card beside a mark: an image of side × side grey values, 0 to f, and a line. */
  function card(pic) {
    const cell = 5, text = draw("text", { x: 8, "font-size": TYPE }), pixels = draw("g");
    const back = draw("rect", { rx: 5, class: "card" }), node = draw("g", { visibility: "hidden", "pointer-events": "none" }, back, pixels, text);
    pic.root.append(node);
    return {
      hide() { node.setAttribute("visibility", "hidden"); },
      show(x, y, image, side, line) {
        text.textContent = line;
        const wide = Math.max(side * cell, text.getComputedTextLength()) + 16, tall = side * cell + 30;
        put(back, { width: wide, height: tall });
        put(text, { y: tall - 9 });
        pixels.replaceChildren(...[...image].map((grey, k) => draw("rect", {
          x: 8 + (k % side) * cell, y: 6 + Math.floor(k / side) * cell, width: cell, height: cell, fill: `#${(15 - parseInt(grey, 16)).toString(16).repeat(3)}`,
        })));
        put(node, { visibility: "inherit", transform: `translate(${px(clip(x - wide / 2, 0, pic.width - wide))} ${px(y + 14 + tall > pic.height ? y - 14 - tall : y + 14)})` });
        pic.root.append(node);  // above all marks
      },
    };
  }

  /** The value of a handle, in words. */
  function said(pic, node, names) {
    const own = names.filter(Boolean), [first] = own;
    put(node, {
      "aria-valuemin": 0, "aria-valuemax": pic.controls[first].values.length - 1, "aria-valuenow": pic.at[first],
      "aria-valuetext": own.map((name) => `${pic.controls[name].label} ${pic.controls[name].texts[pic.at[name]]}`).join(", "),
    });
  }

  /* ---- JupyterLab: a model's traits `places` of its controls; links in the page join them to the sliders ---- */

  function render({ model, el }) {
    const about = model.get("about"), names = Object.keys(about.controls);
    const line = (tag, kind) => { const made = Object.assign(document.createElement(tag), { className: kind }); el.append(made); return made; };
    const lines = [line("p", "headline"), line("p", "second")], stage = line("div", "stage"), below = line("p", "sentence");
    below.setAttribute("aria-live", "polite");
    el.classList.add("hands-box");
    const fit = () => { stage.style.maxWidth = `${about.size[0] * model.get("zoom")}px`; };  // larger for a lecture hall
    model.on("change:zoom", fit);
    fit();
    const raw = (name) => about.controls[name].raw;  // the control knows its value, not its place
    const place = (name) => (raw(name) ? nearest(about.controls[name].values, model.get(`at_${name}`)) : model.get(`at_${name}`));
    const places = () => Object.fromEntries(names.map((name) => [name, place(name)]));
    let mine = false;
    const shown = mount(stage, about, places(), {
      move(name, place) {
        mine = true;
        model.set(`at_${name}`, raw(name) ? about.controls[name].values[place] : place);
        model.save_changes();
        mine = false;
      },
      say(said) { [...lines, below].forEach((each, k) => { if (each.textContent !== said[k]) each.textContent = said[k] ?? ""; }); },
    });
    for (const name of names) {
      model.on(`change:at_${name}`, () => { if (!mine) shown.show(places(), { tween: about.controls[name].tween }); });
    }
  }

  /* ---- Images: grips over the yellow marks of a picture that the page does not draw itself ---- */

  /**
   * Lie over an image; pull(spot, x, y) is called with shares of its size, of a tap with null and how many there were.
   * Returns what moves the grips to their spots.
   */
  function grips(host, pull) {
    const made = [];
    return (spots) => {
      while (made.length < spots.length) made.push(grip(host, made.length, pull));
      made.forEach((each, k) => {
        each.hidden = !spots[k];
        if (spots[k]) Object.assign(each.style, { left: `${100 * spots[k][0]}%`, top: `${100 * spots[k][1]}%` });
      });
    };
  }

  function grip(host, spot, pull) {
    const made = Object.assign(document.createElement("div"), { className: "grip" });  // by keyboard the slider moves it
    made.setAttribute("aria-hidden", "true");
    let from = null, taps = 0;  // where it was taken, until it is dragged
    made.addEventListener("pointerdown", (event) => {
      event.preventDefault();
      made.setPointerCapture(event.pointerId);
      from = [event.clientX, event.clientY];
    });
    made.addEventListener("pointerup", () => { if (from) pull(spot, null, taps += 1); });
    made.addEventListener("pointermove", (event) => {
      if (!made.hasPointerCapture(event.pointerId) || (from && Math.hypot(event.clientX - from[0], event.clientY - from[1]) < 4)) return;
      from = null;
      const box = host.getBoundingClientRect();
      pull(spot, (event.clientX - box.left) / box.width, (event.clientY - box.top) / box.height);
    });
    made.addEventListener("click", (event) => event.stopPropagation());
    host.append(made);
    return made;
  }

  /** What a menu chose comes as the old picture, which lies over the new one, goes: images have no marks to move. */
  function melt(image, host) {
    host.querySelector(".melting")?.remove();
    if (still.matches || !image.naturalWidth) return;
    const old = Object.assign(document.createElement("canvas"), { className: "melting", width: image.naturalWidth, height: image.naturalHeight });
    old.getContext("2d").drawImage(image, 0, 0);
    old.addEventListener("animationend", () => old.remove());
    host.append(old);
  }

  /** JupyterLab: a model's `spots`, `pulled` for its kernel, and `melts`, which counts before an image changes. */
  function renderGrips({ model, el }) {
    el.classList.add("grips");
    const show = grips(el, (...pulled) => { model.set("pulled", pulled); model.save_changes(); });
    model.on("change:spots", () => show(model.get("spots")));
    show(model.get("spots"));
    model.on("change:melts", () => melt(el.closest(".held").querySelector("img"), el));
    if (devicePixelRatio >= 1.5 && model.get("ratio") !== 2) { model.set("ratio", 2); model.save_changes(); }
  }

  const scene = (name, make) => { scenes[name] = make; };
  return { MODELS, capital, card, clip, fixed, general, grips, melt, mount, nearest, percent, render, renderGrips, scene, thousands };
})();
