/* A prediction dragged in the triangle, t by the tip of its arrow; two diagrams show the arrow's shadow, and what averages leave. */
hands.scene("perfect_diagonal", (pic, { dragged, said, happens, orders, signs, lever: reach, aside }) => {
  const { clip, fixed } = hands, HIGH = Math.sqrt(3) / 2, TINY = 1e-9, narrow = pic.narrow, flat = (p) => [p[1] + p[2] / 2, HIGH * p[2]];
  const top = (p) => p.indexOf(Math.max(...p)), mean = (all) => all.reduce((a, b) => a + b, 0) / all.length;
  const space = pic.panel({ at: [0, 0, 0.57, 1], narrow: [0, 0, 1, 0.55], equal: true, frame: false, x: [-0.15, 1.15], y: [-0.13, 0.98] });
  const corner = [[1, 0, 0], [0, 1, 0], [0, 0, 1]], grid = [0.25, 0.5, 0.75].flatMap((at) => [0, 1, 2].map((k) => {
    const end = (j) => { const p = [0, 0, 0]; p[k] = at; p[(k + j) % 3] = 1 - at; return flat(p); };
    return [...end(1), ...end(2), NaN, NaN];
  }));
  space.line("grid", "chance", { width: 0.8 }).set(grid.flat());
  space.line("edge", "grey", { width: 1.2 }).set([...corner, corner[0]].flatMap(flat));
  ["object", "human", "animal"].forEach((name, k) => space.words(`corner_${k}`, "", { by: [0, k === 2 ? -12 : 14] }).say(name).set(flat(corner[k])));
  const eye = space.words("whole", "", { anchor: "start", bold: true }).set([-0.13, 0.93]), edge = space.words("edge", "soft", { by: [0, 14] }).set([0.5, 0]);
  const points = space.dots("triangle.points", "kept", { radius: 4 }), arrows = space.arrows("arrows", "miss", { width: narrow ? 3.4 : 4.4 });
  const lever = space.line("lever", "reference"), fall = space.stems("fall", "reference", { width: 1.2 }), thin = space.stems("own", "truth", { width: 1.4 });
  const tip = space.handle("tip", { x: "t", along: (x, y) => ({ t: (along([x, y]) - reach) / (length || 1) }) });
  const name = space.words("name_of_t", "soft", { by: [0, -20] }).say("t");
  const dot = space.handle("dot", { x: "human", y: "animal", label: "a prediction", along: (x, y) => {
    const animal = clip(y / HIGH, 0.01, 0.98);
    return { animal, human: clip(x - animal / 2, 0.01, 0.99 - animal) };
  } });
  const diagrams = ["top label", "each class"].map((name, k) => {
    const axes = pic.panel({
      at: [0.59, k ? 0.47 : 0, 0.83, k ? 1 : 0.47], narrow: k ? [0.5, 0.57, 1, 1] : [0, 0.57, 0.5, 1], equal: true, x: [-0.02, 1.02], y: [-0.02, narrow ? 1.36 : 1.02],
      xticks: k || narrow ? [0, 0.5, 1] : [], xlabel: k || narrow ? "probability said" : "", yticks: [0, 1], ylabel: "happens",
    });
    const at = (y, inside) => (narrow ? [0.04, inside] : [1.08, y]), settings = { anchor: "start", bold: true };
    axes.line(`diagonal_${k}`, "reference").set([0, 0, 1, 1]);
    axes.words(`name_${k}`, "", settings).say(name).set(at(0.72, 1.3));
    if (!k) axes.words("legend", "soft", { anchor: narrow ? "end" : "start" }).say(narrow ? "thin: yellow" : "thin: yellow alone").set(narrow ? [1, 0.08] : [1.08, 0.28]);
    return {
      stems: axes.stems(`diagrams.${k}.stems`, "miss", { width: 3.4 }), dots: axes.dots(`diagrams.${k}.dots`, "kept", { radius: 4.5 }),
      shadow: axes.stems(`diagrams.${k}.shadow`, "truth", { width: 1.4 }), tips: axes.dots(`diagrams.${k}.tips`, "truth", { radius: 2.6 }),
      error: axes.words(`error_${k}`, "", { ...settings, size: 14 }).set(at(0.5, 1.13)),
    };
  });
  diagrams.push({ error: space.words("error_2", "", { anchor: "start", bold: true, size: 14 }).set([-0.13, 0.85]) });
  let p = [0, 0, 0], u = [1, 0], length = 0;
  const along = ([x, y]) => (x - flat(p)[0]) * u[0] + (y - flat(p)[1]) * u[1];

  /** What is said or happens, three points a kind, on the edges of the triangle: `on_edges` in scenes.py. */
  const edges = (look, values) => {
    const single = look === "top label", three = single ? [...values, ...values, ...values] : values;
    return three.map((x, j) => {
      const to = single ? 1 : Math.floor((3 * j) / three.length), from = single ? 0 : (to + 1) % 3;
      return flat(corner[to].map((c, k) => x * c + (1 - x) * corner[from][k]));
    });
  };

  return ({ world, t, look, human, animal: wanted }) => {
    const animal = Math.min(wanted, 0.99 - human), kind = dragged[world], six = world === "six permutations";
    p = [1 - human - animal, human, animal];
    const [first, second, last] = [0, 1, 2].sort((a, b) => p[b] - p[a]), gain = [0, 0, 0], all = six ? orders.map((order) => order.map((k) => p[k])) : [...said];
    gain[six ? first : second] = six ? Math.min(p[last], p[first] - p[second]) : p[last];
    gain[last] = -gain[six ? first : second];
    const shifts = six ? orders.map((order, j) => order.map((k) => signs[j] * gain[k])) : all.map((each, j) => each.map((x, k) => happens[j][k] - x));
    if (!six) [all[kind], shifts[kind]] = [p, gain];
    const law = (strength) => all.map((each, j) => each.map((x, k) => clip(x + strength * shifts[j][k], 0, 1)));
    const q = law(t), whole = vectors(all, q), goal = flat(vectors(all, law(1))[kind]), here = flat(p), end = flat(whole[kind]);
    length = Math.hypot(goal[0] - here[0], goal[1] - here[1]);
    u = length > TINY ? [(goal[0] - here[0]) / length, (goal[1] - here[1]) / length] : [1, 0];
    const front = [end[0] + reach * u[0], end[1] + reach * u[1]];
    dot.set(here);
    tip.set(front);
    name.set(front);
    lever.set([...end, ...front]);

    const sure = all.map((each) => each[top(each)]), right = given(sure, all.map((each, j) => q[j][top(each)]));
    const column = (rows, k) => rows.map((row) => row[k]), classes = [0, 1, 2].map((k) => [column(all, k), given(column(all, k), column(q, k))]);
    const seen = [[sure, right], [classes.flatMap((each) => each[0]), classes.flatMap((each) => each[1])]], own = whole[kind];
    const mine = [[[p[top(p)]], [own[top(p)]]], [p, own]], pairs = ([a, b], draw) => a.flatMap((x, k) => draw(x, b[k]));
    const which = ["top label", "each class"].indexOf(look), [starts, stops] = which < 0 ? [all, whole].map((rows) => [...rows, ...rows, ...rows].map(flat)) : seen[which].map((each) => edges(look, each));
    const [shade, ends] = which < 0 ? [[], []] : mine[which].map((each) => edges(look, each));
    points.set(starts.flat());
    arrows.set(starts.flatMap((from, j) => {
      const [dx, dy] = [stops[j][0] - from[0], stops[j][1] - from[1]], by = which < 0 ? 0 : aside / Math.max(Math.hypot(dx, dy), TINY);
      return [from, stops[j]].flatMap(([x, y]) => [x - by * dy, y + by * dx]);
    }));
    fall.set(shade.flatMap((each) => [...here, ...each]));
    thin.set(which < 0 ? [] : [...here, ...end, ...shade.flatMap((each, j) => [...each, ...ends[j]])]);
    eye.say(look);
    edge.say(look === "top label" ? "confidence: 0 left, 1 right" : "");
    diagrams.slice(0, 2).forEach(({ stems, dots, shadow, tips }, k) => {
      dots.set(pairs(seen[k], (x, y) => [x, y]));
      stems.set(pairs(seen[k], (x, y) => [x, x, x, y]));
      tips.set(pairs(mine[k], (x, y) => [x, y]));
      shadow.set(pairs(mine[k], (x, y) => [x, x, x, y]));
    });
    const squares = ([a, b]) => a.map((x, k) => (x - b[k]) ** 2);
    const errors = [...seen.map((each) => Math.sqrt(mean(squares(each)))), Math.sqrt(mean(all.map((each, j) => 3 * mean(squares([each, whole[j]])))))];
    [...errors.slice(0, 2), errors[which < 0 ? 2 : which]].forEach((each, k) => {
      diagrams[k].error.say(`error ${fixed(each, 3)}`);
      diagrams[k].error.node.setAttribute("class", each > TINY ? "miss" : "kept");
    });
    const numbers = errors.map((each) => fixed(each, 3));
    return [
      finding(errors, numbers[2]),
      `red: said → happens, ${look}, ${all.length} kinds; yellow: (${p.map((x) => fixed(x, 2)).join(", ")}); “${world}”, t = ${fixed(t, 2)}`,
      `Exact errors, root mean square: top label ${numbers[0]}, each class ${numbers[1]}, canonical ${numbers[2]}.`,
    ];
  };

  /** The mean of the values that share a key. */
  function given(keys, values) {
    const sums = new Map(), names = keys.map((key) => [key].flat().map((x) => x.toFixed(12)).join());
    names.forEach((name, k) => { const [n, sum] = sums.get(name) ?? [0, 0]; sums.set(name, [n + 1, sum + values[k]]); });
    return names.map((name) => sums.get(name)[1] / sums.get(name)[0]);
  }

  function vectors(keys, rows) {
    const columns = [0, 1, 2].map((k) => given(keys, rows.map((row) => row[k])));
    return keys.map((_, j) => columns.map((column) => column[j]));
  }

  function finding([label, each, whole], number) {
    if (whole < TINY) return "Canonically calibrated: every arrow has length 0";
    if (label <= TINY && each <= TINY) return `Both diagrams are perfect, and the whole vector is off by ${number}`;
    if (label > TINY && each > TINY) return `Both diagrams see that the whole vector is off by ${number}`;
    return label > TINY ? "Each class looks perfect; “top label” and the whole vector do not" : "The top label looks perfect; “each class” and the whole vector do not";
  }
});
