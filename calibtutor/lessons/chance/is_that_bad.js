/* Labels redrawn as coins; the ECE of each redraw falls on a heap, the observed one last: drag how many have fallen. */
hands.scene("is_that_bad", (pic, { sets, redraws: counts, first, last: far, wide, top, levelled, tall }) => {
  const { MODELS, capital, clip, fixed, thousands } = hands, log = Math.log10, most = counts.length - 1, all = counts[most];
  const coins = pic.panel({ at: [0, 0, 0.41, 1], narrow: [0, 0, 1, 0.46], x: [-0.03, 1.03], y: [-0.14, 1.2], xticks: [0, 0.5, 1],
    yticks: [0, 0.5, 1], xlabel: "how sure it says it is", ylabel: "how often it is right" });
  const track = pic.panel({ at: [0.43, 0, 1, 0.19], narrow: [0, 0.47, 1, 0.58], x: [-0.8, most + 0.8], y: [-1.4, 1] });
  const heap = pic.panel({ at: [0.43, 0.19, 1, 1], narrow: [0, 0.59, 1, 1], x: [first, far], y: [0, top],
    xticks: [0.003, 0.01, 0.03, 0.1, 0.3].map((x) => [log(x), String(x)]), xlabel: "ECE of one data set (log scale)" });
  coins.line("diagonal", "reference").set([0, 0, 1, 1]);
  const dots = coins.dots("coins", "soft", { radius: pic.narrow ? 1 : 1.3 });
  const gaps = coins.stems("gaps", "miss", { width: 7 }), points = coins.discs("points", "soft");
  const strips = [1.15, -0.03].map((y, k) => coins.words(`strip_${k}`, "soft", { anchor: "start" }).set([0, y]));
  const ece = coins.words("ece", "miss", { anchor: "start", size: 15, bold: true }).set([0, 0.93]);
  const tap = coins.words("tap", "soft tap", { anchor: "end" }).set([1, 0.07]);
  coins.surface(() => pic.move("redraws", (pic.at.redraws + 1) % counts.length));

  track.line("track", "reference").set([0, 0, most, 0]);
  for (const [k, each] of counts.entries()) {
    if (![0, 10, 100, all].includes(each)) continue;
    track.words(`at_${each}`, "soft", { anchor: each === all ? "end" : "middle", by: [each === all ? 8 : 0, 22] }).say(thousands(each) + (each === all ? " redraws" : "")).set([k, 0]);
  }
  const handle = track.handle("redraws", { x: "redraws", along: (x) => ({ redraws: counts[clip(Math.round(x), 0, most)] }) });

  const width = 0.9 * (heap.X(wide) - heap.X(0)), [bricks, last, tail] = [["bricks", "bars"], ["last", "soft"], ["tail", "kept"]].map(([name, kind]) => heap.stems(name, kind, { width }));
  const mean = heap.line("mean", "reference"), drop = heap.stems("drop", "kept", { width: 1.5 }), stem = heap.stems("stem", "miss", { width: 5 });
  const empty = heap.words("empty", "soft").set([(first + far) / 2, 0.5]);
  const observed = heap.point("observed", "kept", { size: 7 });
  const number = heap.words("number", "", { size: 15, bold: true, by: [0, -10] });
  const lands = heap.words("lands", "", { size: 14, bold: true }), verdict = heap.words("verdict", "kept", { size: 14, bold: true });
  for (const mark of [dots, bricks, last, observed, number]) mark.flies = true;  // coins flip and bricks fall behind a hand, too

  return ({ model, n, redraws }) => {
    const set = sets[`${model} ${n}`], at = counts.indexOf(redraws), end = at === most, [kind, marker] = MODELS[model];
    const shown = at ? set.shown[at - 1] : null, error = end ? set.observed : shown?.ece;
    const hit = shown && Array.from(set.confidence, (_, k) => (parseInt(shown.hits[k >> 2], 16) >> (k & 3)) & 1);
    const rows = Array.from({ length: 15 }, () => [0, 0, 0]);  // of each bin: digits, sum of confidences, hits
    dots.set(set.confidence.flatMap((c, k) => {
      const spread = (0.618 * k) % 1, row = rows[parseInt(set.bins[k], 16)];
      if (!hit) return [c, c + 0.03 * (spread - 0.5)];
      row[0] += 1; row[1] += c; row[2] += hit[k];
      return [c, (hit[k] ? 1.035 : -0.1) + 0.045 * spread];
    }));
    const full = rows.filter(([count]) => count), at_bins = full.map(([count, c, h]) => [c / count, h / count]), pale = full.map(([count]) => count < 10);
    Object.assign(gaps, { pale }).set(at_bins.flatMap(([x, y]) => [x, x, x, y]));
    points.look(end ? kind : "soft", marker);
    Object.assign(points, { pale, sizes: full.map(([count]) => Math.sqrt(40 + (130 * count) / n) * 0.6) }).set(at_bins.flat());
    ["right", "wrong"].forEach((name, k) => strips[k].say(at ? name : ""));
    ece.say(at ? `ECE ${fixed(error, 3)}` : "");
    tap.say(end ? "tap: begin again" : "tap: redraw");
    handle.set([at, 0]);
    empty.say(at ? "" : "drag the yellow mark: redraws fall here");

    const laid = heaped(set.cells, redraws), brick = laid.slice(4 * (redraws - 1), 4 * redraws);
    bricks.set(laid);
    last.set(at && !end ? brick : []);
    tail.look(set.alarm ? "miss" : "kept");
    tail.set(end ? set.tail.flatMap((k) => laid.slice(4 * k, 4 * k + 4)) : []);
    number.say(at && !end ? fixed(error, 3) : "").set(at ? brick.slice(2) : [first, top]);
    const place = log(set.observed), middle = log(set.mean), side = place < (first + far) / 2;
    mean.set(end ? [middle, 0, middle, levelled + 0.03] : []);
    drop.look(kind);
    drop.set(end ? [place, 0, place, 1.06] : []);
    stem.set(end && set.alarm ? [middle, 0.04, place, 0.04] : []);
    observed.look(kind, marker);
    observed.node.setAttribute("visibility", end ? "inherit" : "hidden");
    observed.set([place, end ? 0.04 : top]);
    [[lands, 1.03, `observed ${fixed(set.observed, 3)}`, kind],
     [verdict, 0.93, `${set.above} of ${thousands(all)}${pic.narrow ? "" : " are as large"}`, set.alarm ? "miss" : "kept"]].forEach(([mark, y, says, look]) => {
      mark.node.setAttribute("class", look);
      mark.say(end ? says : "", { anchor: side ? "start" : "end", by: [side ? 7 : -7, 0] }).set([place, y]);
    });
    if (!at) return [`${capital(model)}: ${thousands(n)} digits, each a coin, right as often as it says`, "each dot is a digit at its confidence; no label is drawn yet", ""];
    if (!end) return [shown.says, `${capital(model)}, ${thousands(n)} digits, labels redrawn from its predictions; last brick: redraw ${redraws}, ECE ${fixed(error, 3)}`, ""];
    return [
      `${capital(model)}: ECE ${fixed(error, 3)}, ${set.verdict}`,
      `left: ${thousands(n)} digits as they were; grey: labels redrawn ${thousands(all)} times from its predictions; dashes: their mean`,
      `With redrawn labels it averages ${fixed(set.mean, 3)}; sets of them that reach the observed one: ${set.above}.`,
    ];
  };

  /** A brick for each redraw, [x, bottom, x, top]: those that have fallen lie on one another, the others wait above. */
  function heaped(cells, fallen) {
    const high = {}, below = cells.slice(0, fallen).map((x) => (high[x] = (high[x] ?? 0) + 1) - 1), highest = Math.max(tall, ...Object.values(high));
    const height = levelled / highest, brick = highest < 4 * tall ? 0.9 : 1;  // thin ones lie close
    return cells.flatMap((x, k) => (k < fallen ? [x, below[k] * height, x, (below[k] + brick) * height] : [x, top, x, top]));
  }
});
