/* A reliability diagram and the digits that it is made of: drag the edge of the last bin, tap a digit, change the model. */
hands.scene("reveal_reliability", (pic, { models, edges: ends, images, side }) => {
  const { MODELS, capital, fixed, percent, thousands, clip } = hands;
  const diagram = pic.panel({
    at: [0, 0, 0.5, 1], narrow: [0, 0, 1, 0.7], equal: true, x: [-0.03, 1.03], y: [-0.28, 1.14],
    xticks: [0, 0.5, 1], yticks: [0, 0.5, 1], xlabel: "how sure it says it is", ylabel: "how often it is right",
  });
  const average = pic.panel({ at: [0.46, 0.02, 0.96, 0.86], narrow: [0, 0.7, 1, 1], x: [-1.9, 3], y: [0.45, 1.08] });
  const digits = diagram.dots("digits", "soft", { radius: pic.narrow ? 1 : 1.4 });
  const edges = diagram.stems("edges", "chance", { width: 1 }), bars = diagram.area("heights", "chance");
  diagram.line("diagonal", "reference").set([0, 0, 1, 1]);
  diagram.words("little", "soft").say("says too little").set([0.17, 0.93]);
  diagram.words("much", "soft").say("says too much").set([0.82, 0.08]);
  const right = diagram.words("right", "soft", { anchor: "start" }).say("right:"), wrong = diagram.words("wrong", "soft", { anchor: "start" });
  right.set([0, 1.06]);
  wrong.say("wrong:").set([0, -0.08]);
  const gaps = diagram.stems("diagram.gaps", "miss", { width: 5 }), points = diagram.discs("diagram.points", "kept");
  const edge = diagram.handle("edge", { x: "bins", along: (x) => ({ bins: 1 / (1 - clip(x, 0, 0.98)) }), label: "edge of the last bin" });
  const named = diagram.words("edge_words", "soft");
  const says = average.line("says", "truth"), stem = average.stems("stem", "miss"), dot = average.point("dot", "kept", { size: 7 });
  const names = ["name_of_says", "name_of_right", "name_of_miss"].map((each, k) => average.words(each, k === 2 ? "miss" : "", { size: 14, bold: true }));
  const tapped = tap(pic, diagram, digits, images, side);

  return ({ model, bins }) => {
    const { confidence, hit, sure, share } = models[model], [kind, marker] = MODELS[model], n = hit.length;
    const rows = Array.from({ length: bins }, () => [0, 0, 0]);  // of each bin: digits, sum of confidences, hits
    confidence.forEach((c, k) => {
      let place = clip(Math.round(c * bins), 0, bins - 1);
      while (place && c <= ends[bins][place]) place -= 1;  // bins are (a, b], as the table's ends have them
      while (place < bins - 1 && c > ends[bins][place + 1]) place += 1;
      const row = rows[place];
      row[0] += 1; row[1] += c; row[2] += hit[k];
    });
    const full = rows.filter(([count]) => count), most = Math.max(...rows.map(([count]) => count));
    const dots = full.map(([count, c, h]) => [c / count, h / count]), few = full.map(([count]) => count < 10);
    const error = full.reduce((sum, [, c, h]) => sum + Math.abs(c - h), 0) / n;
    digits.set(confidence.flatMap((c, k) => [c, (hit[k] ? 1.035 : -0.1) + 0.045 * ((k * 0.618) % 1)]));
    tapped(model, n);
    edges.set(Array.from({ length: bins + 1 }, (_, k) => [k / bins, 0, k / bins, 1]).flat());
    bars.set(rows.flatMap(([count], k) => [...box(k / bins, (k + 1) / bins, -0.26, -0.26 + (0.12 * count) / most), NaN, NaN]));
    Object.assign(gaps, { pale: few }).set(dots.flatMap(([x, y]) => [x, x, x, y]));
    points.look(kind, marker);
    Object.assign(points, { pale: few, sizes: full.map(([count]) => Math.sqrt(40 + (130 * count) / n) * 0.6) }).set(dots.flat());
    edge.set([1 - 1 / bins, 0.2]);
    named.say("edge of the last bin", bins > 2 ? { anchor: "end", by: [-14, 0] } : { anchor: "start", by: [14, 0] }).set([1 - 1 / bins, 0.2]);
    says.set([-0.25, sure, 0.25, sure]);
    stem.set([0, sure, 0, share]);
    dot.look(kind, marker);
    dot.set([0, share]);
    const gap = sure - share, verdict = gap > 0.02 ? "over-confident" : gap < -0.02 ? "under-confident" : "about right on average";
    const line = 20 / (average.Y(0) - average.Y(1)), least = Math.abs(gap) < 0.05 ? 0.05 : line - Math.abs(gap) / 2;  // words keep clear
    const apart = Math.abs(gap) < 0.15 || least > 0 ? Math.max(least, 0.05) * (share >= sure ? 1 : -1) : 0;
    names[0].say(`says ${fixed(sure, 3)}`, { anchor: "end", by: [-6, 0] }).set([-0.25, sure]);
    names[1].say(`is right ${fixed(share, 3)}`, { anchor: "start", by: [16, 0] }).set([0, share + apart]);
    names[2].say(Math.abs(gap) >= 0.05 ? `${fixed(Math.abs(gap), 3)} ${verdict}` : "", { anchor: "start", by: [16, 0] }).set([0, (sure + share) / 2]);
    return [
      `${capital(model)}: ${percent(sure)} sure, ${percent(share)} right, so ${verdict}`,
      `${thousands(n)} digits in ${bins} bins; the red lines, weighted by their digits, average ${fixed(error, 3)} (the ECE)`,
      "",
    ];
  };

  function box(a, b, low, high) { return [a, low, b, low, b, high, a, high]; }

  /** A tap near a digit's dot shows its image, what the model answered and how sure it was. */
  function tap(pic, axes, digits, images, side) {
    let model = "", n = 0;
    const card = hands.card(pic);
    axes.surface((x, y) => {
      const found = axes.near(digits, x, y, 14);
      if (found < 0) { card.hide(); return; }
      const each = models[model], sure = percent(each.confidence[found]);
      card.show(axes.X(digits.wanted[2 * found]), axes.Y(digits.wanted[2 * found + 1]), images.slice(found * side * side, (found + 1) * side * side), side,
                `read as ${each.answer[found]}, ${sure} sure: ${each.hit[found] ? "right" : "wrong"}`);
    });
    return (name, count) => { if (name !== model || count !== n) card.hide(); [model, n] = [name, count]; };
  }
});
