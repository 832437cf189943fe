/* Six bets to be dragged; when neighbours follow, each bet is the weighted mean of all that were pulled. */
hands.scene("place_bets", (pic, { said, happens, weights }) => {
  const { fixed, percent, clip } = hands, sum = (all) => all.reduce((a, b) => a + b, 0), tiny = 1e-9;
  const names = said.map((_, k) => `bet_${k + 1}`);
  const axes = pic.panel({ at: [0, 0, 0.62, 1], narrow: [0, 0, 1, 0.68], x: [0, 1], y: [-1.3, 1.3], xticks: said,
    yticks: [[-1, "−1"], 0, [1, "+1"]], xlabel: "probability said", ylabel: "bet" });
  axes.line("zero", "reference").set([0, 0, 1, 0]);
  axes.words("high", "soft", { anchor: "end" }).say("“p is too high”").set([0.99, 1.22]);
  axes.words("low", "soft", { anchor: "end" }).say("“p is too low”").set([0.99, -1.22]);
  const band = axes.line("band", "grey", { width: 1.4 }), stems = axes.stems("stems", "grey", { width: 1.6 }), best = axes.stems("dashes", "truth", { width: 4 });
  const side = pic.panel({ at: [0.64, 0, 1, 1], narrow: [0, 0.7, 1, 1], x: [-0.11, 0.16], y: [1.6, -0.6], xticks: [[-0.1, "−0.1"], 0, 0.1],
    yticks: [[0, "you"], [1, "best"]], xlabel: "mean payoff" });
  side.line("nothing", "reference").set([0, -0.5, 0, 1.5]);
  const bars = ["kept", "truth"].map((kind, k) => side.stems(`bar_${k}`, kind, { width: k ? 3 : 26 }));
  const numbers = [0, 1].map((k) => side.words(`number_${k}`, "", { anchor: "start", by: [8, 0], size: 15, bold: true }));
  let now = null;
  const dots = names.map((name, k) => axes.handle(name, { y: name, along: (_, y) => {
    if (!now.smooth) return { [name]: y };
    let pulled = names.map((each) => now[each]);  // all are pulled, as little as brings this bet under the finger
    const row = weights[k], square = sum(row.map((w) => w * w));
    for (let turn = 0; turn < 100; turn += 1) {  // until nothing beyond ±1 is asked of one
      const off = clip(y, -1, 1) - sum(row.map((w, j) => w * pulled[j]));
      pulled = pulled.map((each, j) => clip(each + (off * row[j]) / square, -1, 1));
    }
    return Object.fromEntries(names.map((each, j) => [each, pulled[j]]));
  } }));
  return (values) => {
    now = values;
    const pulled = names.map((name) => values[name]), bets = values.smooth ? weights.map((row) => sum(row.map((w, j) => w * pulled[j]))) : pulled;
    const miss = said.map((p, k) => (p - happens[k]) / said.length), most = sum(miss.map(Math.abs));
    let payoff = sum(miss.map((m, k) => m * bets[k]));
    if (Math.abs(payoff) <= tiny) payoff = 0;
    stems.set(said.flatMap((p, k) => [p, 0, p, bets[k]]));
    band.set(values.smooth ? said.flatMap((p, k) => [p, bets[k]]) : []);
    dots.forEach((dot, k) => dot.set([said[k], bets[k]]));
    best.set(values.show_the_best ? said.flatMap((p, k) => [p - 0.025, Math.sign(miss[k]), p + 0.025, Math.sign(miss[k])]) : []);
    bars[0].look(payoff < 0 ? "miss" : "kept");
    [payoff, most].forEach((x, k) => {
      bars[k].set([0, k, x, k]);
      numbers[k].say(fixed(x, 3)).set([Math.max(x, 0), k]);
    });
    return [
      headline(payoff, most, bets),
      `yellow: your bets where the model says .1, .25, … .9${values.smooth ? ", neighbours follow" : ""}${values.show_the_best ? "; dashes: the best" : ""}`,
      `Your bets: ${bets.map((b) => fixed(b, 1, { sign: true })).join(", ")}.`,
    ];
  };

  function headline(payoff, best, bets) {
    if (!bets.some(Boolean)) return `No bet is placed. The best bets earn ${fixed(best, 3)}`;
    if (Math.max(...bets) - Math.min(...bets) < tiny) return `The same bet everywhere earns ${fixed(payoff, 3)}, the best six ${fixed(best, 3)}`;
    if (payoff > best * (1 - tiny)) return `You earn ${fixed(payoff, 3)}: nothing better is allowed`;
    if (payoff > best * 0.995) return `You earn ${fixed(payoff, 3)}: within half a percent of the best`;
    if (Math.abs(payoff) < tiny) return `Your bets earn 0.000, the best earn ${fixed(best, 3)}`;
    if (payoff < 0) return `Your bets lose ${fixed(-payoff, 3)}, the best earn ${fixed(best, 3)}`;
    return `Your bets earn ${fixed(payoff, 3)}: ${percent(payoff / best)} of the best`;
  }
});
