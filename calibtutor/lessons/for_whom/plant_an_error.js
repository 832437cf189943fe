/* An error that is planted or painted, a bet at a place with a reach: drag it, pinch it, and see how often it finds the error. */
hands.scene("plant_an_error", (pic, table) => {
  const { clip, fixed, nearest, percent } = hands, { bells, chance, gap, level, pairs, whole } = table;
  const n = table.p.length, sets = table.labels.length / n, across = 10, up = 4;
  const p = table.p.map((each) => each / 1000), x = table.x.map((each) => each / 500);
  const codes = Uint8Array.from(table.labels, (each) => each.charCodeAt(0) - 97);  // of a label: below how many misses it is 1
  const columns = Array.from({ length: across }, (_, k) => `column_${k + 1}`), powers = [1, 3, 9, 27];
  const cell = (k, low, high, many) => clip(Math.floor(((k - low) / (high - low)) * many), 0, many - 1);
  const ofRow = p.map((each, i) => [cell(x[i], -1, 1, across), cell(each, 0.25, 0.75, up)]);
  const WORDS = ["right", "says too much", "says too little"], SIDES = [0, 1, -1];
  let now = {}, places = {}, stroke = 0, before = null, start = null, key = "", sides = [], found = [];

  const map = pic.panel({ at: [0, 0, 0.5, 1], narrow: [0, 0, 1, 0.52], x: [-1, 1], y: [0.25, 0.75], xticks: [[-1, "−1"], 0, 1],
    yticks: [0.25, 0.5, 0.75], xlabel: "feature x", ylabel: "prediction p" });
  const painted = ["miss", "kept"].map((kind, k) => map.area(`side_${k}`, kind));
  map.dots("data", "soft", { radius: 1.2 }).set(p.flatMap((each, i) => [x[i], each]));
  const ellipse = map.area("reach", "choice pale"), tie = map.line("tie", "grey", { width: 1 });
  map.cells(across, up, { paint, said: (c, r) => `x ${fixed(c / 5 - 1, 1)} to ${fixed(c / 5 - 0.8, 1)}, p ${fixed(0.25 + r / 8, 3)} to ${fixed(0.375 + r / 8, 3)}: ${WORDS[digit(c, r)]}; Enter paints`,
    inside: (a, b) => Math.min(now.width_x, now.width_p) < whole && ((a - now.bet_x) / now.width_x) ** 2 + ((b - now.bet_p) / now.width_p) ** 2 < 1,
    drag(dx, dy, begins) {
      if (begins) start = [now.bet_x, now.bet_p];
      move({ bet_x: start[0] + dx, bet_p: start[1] + dy });
    },
    pinch(sx, sy, begins, painted) {
      if (begins) {
        start = [now.width_x, now.width_p];
        if (painted) for (const [name, place] of before) pic.move(name, place);
        return;
      }
      move({ width_x: wide(start[0] * sx, 0.95), width_p: wide(start[1] * sy, 0.24) });
    } });
  const place = map.handle("place", { x: "bet_x", y: "bet_p", label: "your bet" });
  const corner = map.handle("corner", { x: "width_x", y: "width_p", label: "reach of your bet", along: (a, b) => ({
    width_x: wide(Math.abs(a - now.bet_x) - gap.x, 0.78), width_p: wide(Math.abs(b - now.bet_p) - gap.p, 0.215),
  }) });
  const wipe = map.button("wipe", "wipe the paint", () => columns.forEach((name) => pic.move(name, 0))).set([0.92, map.y(map.bottom + 31)]);

  const rows = [5, 4, 3, 2, 1, 0], narrow = pic.narrow;
  const side = pic.panel({ at: [0.52, 0, 1, 1], narrow: [0, 0.54, 1, 1], x: [-0.72, 1.36], y: [-0.6, 5.6], xticks: [[0, "0"], [0.5, "50%"], [1, "100%"]],
    xlabel: "data sets with p ≤ .05" });
  side.area("band", "band").set([-0.74, 4.55, 1.36, 4.55, 1.36, 5.45, -0.74, 5.45]);
  side.area("by_chance", "chance").set([chance[0], -0.5, chance[1], -0.5, chance[1], 5.5, chance[0], 5.5]);
  side.line("level", "reference").set([level, -0.5, level, 5.5]);
  const names = ["your bet, here", ...pairs, "all four,"].map((text, k) => side.words(`name_${k}`, "", { anchor: "start", size: 13, bold: !k }).say(text).set([-0.72, rows[k] + 0.17]));
  const below = ["", ...table.below.slice(1, -1), "aggregated"].map((text, k) => side.words(`below_${k}`, k === 5 ? "" : "soft", { anchor: "start", size: k === 5 ? 13 : narrow ? 11 : 12 }).say(text).set([-0.72, rows[k] - 0.2]));
  const stems = rows.map((_, k) => side.stems(`stem_${k}`, "kept", { width: 4.5 }));
  const dots = rows.map((_, k) => side.point(`dot_${k}`, "kept", { size: 7 }));
  const numbers = rows.map((_, k) => side.words(`number_${k}`, "", { anchor: "start", by: [11, 0], size: 13.5, bold: true }));
  const labels = new Uint8Array(sets * n), find = finder();

  return (values, at) => {
    now = values;
    places = at;
    const { planted, miss, bet_x, bet_p, width_x, width_p } = values, paint = columns.map((name) => values[name]);
    const any = paint.some(Boolean), zero = table.sizes.length - 1, size = table.sizes.indexOf(miss);
    if (key !== (key = [planted, miss, ...paint].join())) {  // a bet that moves leaves the error as it is
      sides = ofRow.map(([c, r], i) => (paint[c] ? SIDES[Math.floor((paint[c] - 1) / powers[r]) % 3] : table.sides[planted][i]));
      label(sides.map((each) => zero + each * size));
      found = any ? find() : table.found[planted][String(miss)];
      paintMap(planted, paint, miss);
    }
    const share = [bet(bet_x, bet_p, at), ...found];
    ellipse.set(oval(bet_x, bet_p, width_x, width_p));
    place.set([bet_x, bet_p]);
    const ends = [end(bet_x, width_x, -1, 1, gap.x), end(bet_p, width_p, 0.25, 0.75, gap.p)];
    corner.set(ends);
    tie.set(Math.max(width_x, width_p) === whole ? [] : [bet_x + Math.sign(ends[0] - bet_x) * width_x / Math.SQRT2, bet_p + Math.sign(ends[1] - bet_p) * width_p / Math.SQRT2, ...ends]);
    wipe.shown_if(any);
    below[0].say(widths(width_p, width_x));
    rows.forEach((row, k) => {
      const kind = share[k] > chance[1] ? "kept" : "miss";
      stems[k].look(kind);
      stems[k].set([level, row, share[k], row]);
      dots[k].look(kind, "o");
      dots[k].set([share[k], row]);
      numbers[k].node.setAttribute("class", kind);
      numbers[k].say(percent(share[k])).set([Math.max(share[k], level), row]);
    });
    const { total, squares, off } = covered(), mean = miss * off / total, much = Math.abs(mean) >= 0.005;
    return [
      headline(share[0], sides.some(Boolean) ? miss : 0, share.slice(1, 5)),
      `${planted}${any ? ", painted over" : ""}, ${miss}; ${sets} data sets, n = ${n}; red: says too much, blue: too little`,
      `Yellow: the bet sums residuals, weighted by nearness, of about ${fixed(total ** 2 / squares, 0)} rows, which say ${
        much ? `${fixed(Math.abs(mean), 2)} too ${mean > 0 ? "much" : "little"} on average` : "what happens, on average"}. `
        + `Grey, up to ${percent(chance[1], 1)}: chance, though you try many places.`,
    ];
  };

  /* ---- The labels of all data sets, and how often the bet finds their error, and the pairs do ---- */

  function label(levels) {
    for (let i = 0; i < n; i++) for (let k = i; k < labels.length; k += n) labels[k] = levels[i] < codes[k];
  }

  function bet(a, b, at) {
    const [here, there] = [Math.round(1000 * b), Math.round(500 * a)], [k, l] = [bells.p[at.width_p], bells.x[at.width_x]];
    bet.weights = p.map((_, i) => k[Math.abs(table.p[i] - here)] * l[Math.abs(table.x[i] - there)]);
    const w = bet.weights, all = w.reduce((sum, each, i) => sum + each * p[i], 0);
    const most = table.beyond * Math.sqrt(w.reduce((sum, each, i) => sum + each * each * p[i] * (1 - p[i]), 0));
    let found = 0;
    for (let d = 0; d < sets; d++) {
      let payoff = all;
      for (let i = 0, k = d * n; i < n; i++, k++) if (labels[k]) payoff -= w[i];
      if (Math.abs(payoff) > most) found += 1;
    }
    return found / sets;
  }

  function covered() {
    const sum = (each) => bet.weights.reduce((total, w, i) => total + each(w, i), 0);
    return { total: sum((w) => w), squares: sum((w) => w * w), off: sum((w, i) => w * sides[i]) };
  }

  /** Sums over pairs of rows by the factors of each matrix; from one painting to the next only labels that flipped are added. */
  function finder() {
    const factors = table.factors.map((each) => Float64Array.from(each, (v) => v / 1000)), many = factors.map((each) => each.length / n);
    const diagonal = factors.map((each, m) => p.map((_, i) => each.subarray(i * many[m], (i + 1) * many[m]).reduce((sum, v) => sum + v * v, 0)));
    const held = new Uint8Array(sets * n);  // labels 0, to begin with
    const sums = factors.map((each, m) => {
      const one = new Float64Array(many[m]);
      p.forEach((v, i) => { for (let r = 0; r < many[m]; r++) one[r] += v * each[i * many[m] + r]; });
      return Float64Array.from({ length: sets * many[m] }, (_, k) => one[k % many[m]]);
    });
    const same = diagonal.map((each) => new Float64Array(sets).fill(each.reduce((sum, v, i) => sum + v * p[i] ** 2, 0)));
    return () => {
      for (let k = 0; k < held.length; k++) {
        if (held[k] === labels[k]) continue;
        const d = Math.floor(k / n), i = k % n, by = held[k] ? 1 : -1;  // of the residual
        factors.forEach((each, m) => {
          for (let r = 0, from = i * many[m], to = d * many[m]; r < many[m]; r++) sums[m][to + r] += by * each[from + r];
          same[m][d] -= by * diagonal[m][i] * (1 - 2 * p[i]);
        });
        held[k] = labels[k];
      }
      const alone = [0, 0, 0, 0];
      let together = 0;
      for (let d = 0; d < sets; d++) {
        let any = 0;
        for (let m = 0; m < 4; m++) {
          let value = -same[m][d];
          for (let r = 0, to = d * many[m]; r < many[m]; r++) value += sums[m][to + r] ** 2;
          if (value > table.alone[m]) alone[m] += 1;
          if (value > table.all[m]) any = 1;
        }
        together += any;
      }
      return [...alone, together].map((each) => each / sets);
    };
  }

  /* ---- The map ---- */

  function paintMap(planted, paint, miss) {
    const boxes = [[], []];
    const add = (side, a, b, low, high) => { if (side) boxes[side > 0 ? 0 : 1].push(a, low, b, low, b, high, a, high, NaN, NaN); };
    for (let r = 0; r < up; r++) for (let k = 0; k < 40; k++) {
      const c = k >> 2, low = 0.25 + r / 8;
      if (!paint[c]) add(table.fine[planted][r][k], k / 20 - 1, k / 20 - 0.95, low, low + 0.125);
      else if (k % 4 === 0) add(SIDES[Math.floor((paint[c] - 1) / powers[r]) % 3], c / 5 - 1, c / 5 - 0.8, low, low + 0.125);
    }
    painted.forEach((each, k) => { each.node.style.opacity = (0.7 * miss) / 0.3; each.set(boxes[k]); });
  }

  /** The side of a cell, 0, 1 or 2; of a column as it is planted that of the cell's middle. */
  function digit(c, r) {
    const code = now[columns[c]];
    if (code) return Math.floor((code - 1) / powers[r]) % 3;
    return now.planted ? SIDES.indexOf(table.fine[now.planted][r][4 * c + 2]) : 0;
  }

  function paint(c, r, begins) {
    if (begins) { stroke = (digit(c, r) + 1) % 3; before = columns.map((name) => [name, places[name]]); }
    const code = 1 + powers.reduce((sum, power, k) => sum + power * (k === r ? stroke : digit(c, k)), 0);
    pic.move(columns[c], code);
  }

  function move(wanted) {
    for (const [name, value] of Object.entries(wanted)) pic.move(name, nearest(pic.controls[name].values, value));
  }

  function wide(reach, most) { return reach > most ? whole : Math.max(reach, 0); }

  function oval(a, b, rx, ry) {  // what of it is on the map
    return Array.from({ length: 180 }, (_, k) => (k * Math.PI) / 90).flatMap((t) => [clip(a + rx * Math.cos(t), -1, 1), clip(b + ry * Math.sin(t), 0.25, 0.75)]);
  }

  function end(at, reach, low, high, room) {
    const side = at > (low + high) / 2 ? -1 : 1;
    return reach === whole ? (side > 0 ? high - room / 2 : low + room / 2) : at + side * (reach + room);
  }

  /* ---- Words ---- */

  function widths(ofP, ofX) {
    return `γ ${[[ofP, "p"], [ofX, "x"]].filter(([each]) => each !== whole).map(([each, name]) => `${each} (${name})`).join(", ") || "all"}`;
  }

  function headline(mine, size, of) {
    const k = of.indexOf(Math.max(...of)), most = of[k];
    if (!size) return `Nothing is planted, and your bet rejects ${percent(mine)}`;
    if (Math.max(mine, most) <= chance[1]) return "Neither your bet nor a pair of kernels finds more than chance";
    if (mine >= most) return `Your bet finds ${percent(mine)} of such errors, no pair of kernels more`;
    return `Your bet finds ${mine > chance[1] ? `${percent(mine)} of such errors` : "no more than chance"}; “${pairs[k]}” finds ${percent(most)}`;
  }
});
