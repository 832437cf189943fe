/* One spectrum, four errors: turn the dial t, drag λ; each eigendirection shines as its weight says. */
hands.scene("dial", (pic, { positions, levels, first, others, spectra, directions, along, splits, often, by }) => {
  const { MODELS, capital, fixed, general, percent } = hands, sum = (all) => all.reduce((a, b) => a + b, 0), log = Math.log10;
  const narrow = pic.narrow, left = along[0], low = log(0.06), high = log(8), floor = -6.3;
  const axes = pic.panel({
    at: [0, 0, 0.6, 1], narrow: [0, 0, 1, 0.42], x: [-0.03, 2.03], y: [low, high], xlabel: "position t",
    xticks: [[0, "0"], [1, "1"], [2, "2"]], yticks: [[-1, "1/10"], [log(0.3), "1/3"], [0, "1"], [log(3), "3"]],
    ylabel: narrow ? "naive Bayes / the other" : "error of naive Bayes / error of the other",
  });
  const wash = [[low, 0, "bayes"], [0, high, "forest"]].map(([a, b, kind], k) => (
    axes.area(`wash_${k}`, `wash ${kind}`).set([-0.03, a, 2.03, a, 2.03, b, -0.03, b])
  ))[1];
  axes.line("one", "reference").set([-0.03, 0, 2.03, 0]);
  ["SKCE", "CCE²", "CKCE"].forEach((name, t) => {
    axes.words(`error_${t}`, "soft", { anchor: ["start", "middle", "end"][t], bold: true }).say(name).set([t, low + 0.09]);
  });
  axes.words("first", "bayes", { anchor: "start" }).say(`${first} looks better`).set([0.02, low + 0.25]);
  const name = axes.words("name", "", { anchor: "start" }).set([0.02, high - 0.1]);
  const before = axes.line("before", "grey", { width: 1 }), curve = axes.line("curve", "bayes", { width: 3 }), crossing = axes.dots("crossing", "truth", { radius: 4.5 });
  const earlier = axes.words("earlier", "soft", { anchor: "end" });
  const where = [0, 1, 2].map((k) => axes.words(`where_${k}`, "", { bold: true })), times = axes.words("times", "", { size: 15, bold: true });
  const dot = axes.handle("dot", { x: "position" });

  const room = { x: [left, 1.2], margin: 40 }, under = { xticks: [[-3, "0.001"], [-2, "0.01"], [-1, "0.1"], [0, "1"], [1, "10"]], xlabel: "rare or fine ← eigenvalue μ" };
  const top = pic.panel({ at: [0.61, 0.04, 1, 0.33], narrow: [0, 0.46, 1, 0.63], ...room, y: [floor, 0.6], yticks: [[-6, "10⁻⁶"], [-3, "10⁻³"], [0, "1"]] });
  const rows = [0, 1].map((k) => pic.panel({
    at: [0.61, [0.41, 0.63][k], 1, [0.62, 1][k]], narrow: [0, [0.68, 0.8][k], 1, [0.79, 1][k]], ...room, y: [-0.25, 1.3], ...(k ? under : {}),
  }));
  top.title("weight of a direction, the largest: 1");
  rows[0].title("share of the error in each direction");
  const weight = top.line("shares.weight", "truth"), at = top.line("shares.at", "reference"), lambda = top.words("lambda", "");
  const down = rows.map((row, k) => row.line(`down_${k}`, "reference")), lamps = rows.map((row, k) => row.lamps(`lamps_${k}`, "bayes", { width: 7 }));
  const marks = rows.map((row, k) => [
    row.lamps(`shares.bars.${k}`, "bayes"), row.words(`model_${k}`, "", { anchor: "start" }).set([left + 0.1, 1.15]),
    row.words(`largest_${k}`, "", { size: 14, bold: true, by: [0, -10] }),
  ]);
  const level = top.handle("shares.level", { x: "level", along: (x) => ({ level: levels[hands.nearest(levels.map(log), x)] }) });
  const counts = (mu, t, lam) => mu ** Math.min(t, 2 - t) / (mu + lam) ** (2 * Math.min(t, 1));
  let last = "";

  return ({ other, position: t, level: lam }) => {
    const place = levels.indexOf(lam), here = positions.findIndex((each) => Math.abs(each - t) < 1e-9), names = [first, other];
    const errors = names.map((each) => spectra[each].errors[place]), heights = positions.map((_, k) => log(errors[0][k] / errors[1][k]));
    const { swaps, ahead } = others[other][place], totals = errors.map((each) => each[here]), ratio = totals[0] / totals[1], height = heights[here];
    const kind = MODELS[other][0], leads = ratio > 1 ? other : first, many = (x) => `${fixed(Math.max(x, 1 / x), 1)} ×`;
    if (last !== other + lam) before.set(curve.wanted ?? []);
    last = other + lam;
    curve.set(positions.flatMap((x, k) => [x, heights[k]]));
    const off = heights.map((y, k) => (before.wanted[2 * k + 1] ?? y) - y), most_off = off.reduce((a, b) => (Math.abs(b) > Math.abs(a) ? b : a)), most_at = off.indexOf(most_off);
    earlier.say(Math.abs(most_off) > 0.1 ? "before" : "", { by: [0, most_off > 0 ? -12 : 12] }).set([positions[most_at], heights[most_at] + most_off]);
    crossing.set(swaps.flatMap((x) => [x, 0]));
    wash.node.setAttribute("class", `area wash ${kind}`);
    name.node.setAttribute("class", kind);
    name.say(`${other} looks better`);
    where.forEach((each, k) => {
      const hidden = k >= swaps.length || (Math.abs(swaps[k] - t) < 0.35 && Math.abs(height) < 0.17), right = heights[0] > 0 === (k % 2 === 0);
      each.say(hidden ? "" : fixed(swaps[k], 2), { anchor: right ? "end" : "start", by: [right ? -5 : 5, right ? 15 : -15] }).set([swaps[k] ?? 0, 0]);
    });
    dot.set([t, height]);
    const back = t > 1, beside = heights[Math.min(Math.max(here + (back ? -5 : 5), 0), positions.length - 1)];
    times.node.setAttribute("class", MODELS[leads][0]);
    const below = Math.abs(height) < 0.2 ? height < 0 : beside > height;  // clear of the line of equal errors
    times.say(many(ratio), { anchor: back ? "end" : "start", by: [back ? -12 : 12, (below ? 1 : -1) * (Math.abs(height) < 0.2 ? 30 : 19)] }).set([t, height]);

    const drawn = along.map((x) => log(counts(10 ** x, t, lam))), most = Math.max(...drawn), x = log(lam);
    weight.set(along.flatMap((each, k) => [each, drawn[k] - most]));
    at.set([x, floor, x, 0.6]);
    down.forEach((each) => each.set([x, -0.25, x, 0.85]));
    level.set([x, floor]);
    lambda.say(`λ = ${general(lam, 6)}`, { anchor: x > -1 ? "end" : "start", by: [x > -1 ? -14 : 14, -14] }).set([x, floor]);
    marks.forEach(([bars, model, largest], k) => {
      const { mu, energy } = spectra[names[k]], kinds = MODELS[names[k]][0], parts = mu.map((each, j) => counts(each, t, lam) * energy[j]), all = sum(parts);
      const stems = Array.from({ length: directions }, (_, j) => (mu[j] >= 1.2e-4 ? [log(mu[j]), parts[j] / all] : [left, 0]));
      [bars, lamps[k]].forEach((each) => each.look(kinds));
      bars.lit = lamps[k].lit = stems.map(([each]) => 0.2 + 0.8 * 10 ** ((log(counts(10 ** each, t, lam)) - most) / 4));
      bars.set(stems.flatMap(([each, share]) => [each, 0, each, share]));
      lamps[k].set(stems.flatMap(([each]) => [each, -0.2, each, each > left ? -0.08 : -0.2]));  // also of directions without error
      model.node.setAttribute("class", kinds);
      model.say(`${names[k]}: ${general(all, 3).replace("-", "−")}`);
      const best = stems.reduce((a, b) => (b[1] > a[1] ? b : a));
      largest.node.setAttribute("class", kinds);
      largest.say(percent(best[1])).set(best);
    });

    const count = ratio < 1 ? ahead[here] : splits - ahead[here], shown = `t = ${general(t, 3)}`;
    const far = Math.max(ratio, 1 / ratio), behind = ratio > 1 ? ratio : 1 / ratio, error = { 0: "SKCE", 1: "CCE²", 2: "CKCE" }[t];
    const said = `${far < 1.05 ? `${capital(first)} and ${other} nearly equal` : `${capital(leads)} looks ${fixed(behind, behind < 9.95 ? 1 : 0)} times better`} ${error ? `by ${error}` : `at ${shown}`}`;
    const found = swaps.map((each) => `t = ${fixed(each, 2)}`).join(" and ");
    return [
      count >= often ? said : `${said}, in this split`,
      `${shown}${error ? ` (${error})` : ""}, λ = ${general(lam, 6)}: this order in ${count} of ${splits} other splits; curve by ${by}`,
      `${capital(first)} has ${general(totals[0], 4)}, ${other} ${general(totals[1], 4)}. ${found ? `They change places at ${found}` : "They do not change places on this dial"}.`,
    ];
  };
});
