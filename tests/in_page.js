// What tests and benchmarks ask of a page: lab.py hands each to them by its name.

// A cell counts as run when it has a number; empty ones never get one, nor those after an exception.
const allRun = () => {
    const panel = jupyterapp.shell.currentWidget;
    const code = [...panel.content.model.cells].filter(c => c.type === 'code' && c.sharedModel.source.trim());
    const failed = code.some(c => [...Array(c.outputs.length).keys()].some(i => c.outputs.get(i).type === 'error'));
    return panel.sessionContext.session.kernel.status === 'idle' && (failed || code.every(c => c.executionCount));
};

// Widgets reach the page after their cell has ended.
const allDrawn = () => {
    const cells = [...jupyterapp.shell.currentWidget.content.model.cells].filter(c => c.type === 'code');
    const outputs = cells.flatMap(c => [...Array(c.outputs.length).keys()].map(i => c.outputs.get(i)));
    const views = outputs.filter(o => 'application/vnd.jupyter.widget-view+json' in o.data).length;
    const drawn = document.querySelectorAll('.jp-OutputArea-output > .jupyter-widgets').length;
    const pictures = [...document.querySelectorAll('.jp-OutputArea-output img')];
    return drawn >= views && pictures.every(i => i.complete && i.naturalWidth > 0);
};

const kernelReady = () => {
    const panel = window.jupyterapp?.shell?.currentWidget;
    return panel?.content?.model?.cells && panel.sessionContext?.session?.kernel?.status === 'idle';
};

// What a reader sees of an output: its pictures, its words, where the pictures are and whether any failed.
const lookOfOutput = output => {
    const drawn = [...output.querySelectorAll('svg.hands')];  // by the page itself
    const pictures = [...output.querySelectorAll('img')];  // one is known by its length and its last, compressed bytes
    const origin = output.getBoundingClientRect();
    return {
        sources: [...pictures.map(i => i.src.length + i.src.slice(-99)), ...drawn.map(s => s.innerHTML)].join(),
        words: [...output.querySelectorAll('.widget-html-content, .widget-htmlmath-content, .hands-box p')]
            .map(e => e.innerText).join('|'),
        boxes: [...pictures, ...drawn].map(i => { const b = i.getBoundingClientRect();
                                   return [b.left - origin.left, b.top - origin.top, b.width, b.height]; }),
        stretch: pictures.map(i => (i.clientWidth / i.clientHeight) / (i.naturalWidth / i.naturalHeight)),
        decoded: pictures.every(i => i.complete && i.naturalWidth > 0),
        alerts: [...output.querySelectorAll('[role=alert]')].map(e => e.innerText),
        // One press changes several things, each with a message of its own, and a question may go with the last one.
        rests: jupyterapp.shell.currentWidget.sessionContext.session.kernel.status === 'idle',
    };
};

// What a control is set to. Buttons hold nothing: every press is a change.
const valueOfControl = e => e.matches('.noUi-handle') ? e.ariaValueNow
    : e.matches('select') ? e.value : String(e.checked);

const nameOfControl = e => e.matches('button') ? e.innerText
    : e.closest('.widget-inline-hbox, .widget-checkbox')?.innerText.trim().split('\n')[0];

const showFrame = async (f, file) => {
    const i = new Image(900);
    Object.assign(i, { src: `${f.dataset.folder}/${file}.png`, className: 'frame' });
    await i.decode();
    f.querySelector('.frame').replaceWith(i);
};

const resetControl = c => {
    const e = c.querySelector('input, select'), all = [...c.querySelectorAll('input, option')];
    const look = () => e && e.value + all.map(o => o.checked ?? o.selected);
    const before = look();
    if (e?.type === 'range') e.value = e.defaultValue;
    else for (const o of all) o[o.matches('option') ? 'selected' : 'checked'] = o.defaultSelected ?? o.defaultChecked;
    const moved = look() !== before;
    if (moved) e.dispatchEvent(new Event('input', { bubbles: true }));
    return moved;
};

const smallOnes = () => [
    ...document.querySelectorAll('.play :is(button, select, [type=range], [type=text], legend ~ label)')]
    .map(e => [e.offsetHeight, e.outerHTML.slice(0, 80)]).filter(([height]) => height && height < 44);

const valueOnPage = e => e.type === 'radio' ? e.closest('fieldset').querySelector(':checked').value
    : e.matches('button') ? null : e.type === 'checkbox' ? String(e.checked) : e.value;

const lookOfScene = f => [
    f.querySelector('svg.hands')?.innerHTML ?? f.querySelector('img.frame, .frame img').currentSrc,
    [...f.querySelectorAll('.now')].map(e => e.textContent).join('|'), f.querySelector('.stage').offsetTop];

const paleEdges = async stage => {
    const frame = () => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)));
    const edge = () => { const { maskImage } = getComputedStyle(stage);
        return maskImage === 'none' ? 1 : Number(getComputedStyle(stage).getPropertyValue('--edge')); };
    stage.scrollTo({ left: 0, behavior: 'instant' }); await frame();
    const first = edge();
    stage.scrollTo({ left: 1e4, behavior: 'instant' }); await frame();
    return [first, edge()]; };

const swatch = colours => { const sheet = document.querySelector('.stage:not(.drawn) > .sheet');
    document.body.replaceChildren(document.querySelector('svg'), sheet);
    sheet.style = 'position: fixed; left: 0; top: 0; width: 600px; height: 40px; max-width: none; aspect-ratio: auto';
    sheet.innerHTML = colours.map((c, k) =>
        `<i style="position: absolute; left: ${40 * k}px; width: 40px; height: 40px; background: ${c}"></i>`).join('');
    return getComputedStyle(document.body).backgroundColor.match(/[0-9]+/g).map(Number); };

const photograph = png => { const sheet = document.querySelector('.stage:not(.drawn) > .sheet');
    document.body.replaceChildren(document.querySelector('svg'), sheet);
    sheet.style = 'position: fixed; left: 0; top: 0; width: 80px; height: 40px; max-width: none; aspect-ratio: auto';
    sheet.innerHTML = `<img src="data:image/png;base64,${png}"><i class="photograph" style="--at: 0 50% 0 0"></i>`;
    return sheet.querySelector('img').decode(); };

const allWide = () => { document.querySelectorAll('.turns').forEach(stage => stage.classList.remove('turns'));
    const { scene } = book; book.scene = (id, data) => scene(id, { ...data, upright: null }); };

const inSight = line => { const b = line.getBoundingClientRect(); return b.top >= 0 && b.bottom <= innerHeight; };

const countMelts = f => { f.melts = 0;
    new MutationObserver((all) => { f.melts += all.flatMap(each => [...each.addedNodes])
    .filter(node => node.className === 'melting' && node.width > 100).length; })
    .observe(f, { childList: true, subtree: true }); };

const marksWanted = () => Object.fromEntries(
  Object.entries(shown.picture.marks).filter(([, m]) => m.wanted).map(([name, m]) => [
  name,
  { at: Array.from(m.wanted, (x) => Number.isNaN(x) ? null : x),
    px: [m.axes.X(1) - m.axes.X(0), m.axes.Y(0) - m.axes.Y(1)] },
]));

// What a reader sees: width of the page, pictures that failed, tables that stick out of their box.
const lookOfReport = () => ({
    sticks_out: document.documentElement.scrollWidth - document.documentElement.clientWidth,
    failed: [...document.images].filter(i => !i.complete || !i.naturalWidth).length,
    pictures: document.images.length,
    boxes: [...document.querySelectorAll('.scroll')].filter(b => b.getBoundingClientRect().right > innerWidth).length,
    letters: parseFloat(getComputedStyle(document.body).fontSize),
    paper: getComputedStyle(document.body).backgroundColor,
    picture: document.images[0].getBoundingClientRect().width,
    title: document.title,
});

// Resolves, some milliseconds after a key press, with the time from the key to the new, decoded picture.
const waitForPicture = output => {
    const source = () => [...output.querySelectorAll('img')].map(i => i.src).join();
    const before = source();
    let pressed = null;
    addEventListener('keydown', () => { pressed = performance.now(); }, { capture: true, once: true });
    window.picture = new Promise((resolve, reject) => {
        setTimeout(() => reject(new Error('no picture within a minute')), 60000);
        const look = async () => {
            const image = output.querySelector('img');
            if (pressed && image && source() !== before) {
                await image.decode().catch(() => {});
                if (image.isConnected) return resolve(performance.now() - pressed);
            }
            setTimeout(look, 2);
        };
        look();
    });
};

// Notes when each new picture came, until told to stop.
const countPictures = output => {
    window.seen = { times: [], released: null };
    const released = () => { seen.released = performance.now(); };
    addEventListener('pointerup', released, { capture: true, once: true });
    let last = output.querySelector('img').src;
    const look = () => {
        const source = output.querySelector('img')?.src;
        if (source && source !== last) { last = source; seen.times.push(performance.now()); }
        if (!seen.stop) setTimeout(look, 2);
    };
    look();
};

const dragInCircles = async (steps) => {
  const handle = document.querySelector(".handle"), box = handle.querySelector(".choice").getBoundingClientRect();
  const x = box.x + box.width / 2, y = box.y + box.height / 2, took = [];
  const send = (kind, [clientX, clientY]) => {
    handle.dispatchEvent(new PointerEvent(kind, { bubbles: true, clientX, clientY }));
  };
  handle.setPointerCapture = () => {};
  handle.hasPointerCapture = () => true;
  send("pointerdown", [x, y]);
  for (let k = 0; k < steps; k++) {
    const turn = 2 * Math.PI * k / 40;
    const start = performance.now();
    send("pointermove", [x + 120 * Math.sin(turn), y + 60 * Math.sin(2 * turn)]);
    document.querySelector("svg.hands").getBoundingClientRect();  // layout
    took.push(performance.now() - start);
    await new Promise(requestAnimationFrame);
  }
  return took;
};

// From the key to the frame in which the decoded picture is painted.
const timeKeys = s => { const f = s.closest('figure'); f.took ??= []; let key, began = null;
    s.addEventListener('keydown', () => { key = performance.now(); }, true);
    s.addEventListener('input', () => { began ??= key; }, true);  // a key at the end of a slider asks for nothing
    f.addEventListener('shown', () => { const from = began; began = null;
        if (from) requestAnimationFrame(() => f.took.push(performance.now() - from)); }); };

// Ten steps, a tenth of a second apart, every ten seconds or so.
const dragNowAndThen = handle => {
    const key = (key) => handle.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true }));
    const drag = (way, left) => { key(way); if (left) setTimeout(drag, 100, way, left - 1); };
    const again = (turn) => { drag(turn % 2 ? 'ArrowLeft' : 'ArrowRight', 9);
        setTimeout(again, 5000 + 10000 * Math.random(), turn + 1); };
    setTimeout(again, 5000 * Math.random(), 0);
};

// An area of nothing, and one of two parts.
const drawAreas = () => {
    hands.scene("areas", (pic) => {
        const axes = pic.panel({}), [none, two] = ["none", "two"].map((name) => axes.area(name, "kept"));
        const points = [0, 0, 1, 0, 1, 1, NaN, NaN, 0, 0, 1, 1, 0, 1];
        return () => { none.set([]); two.set(points); return ["", "", ""]; };
    });
    const about = { scene: "areas", table: {}, controls: {}, size: [300, 200] };
    const { marks } = hands.mount(document.getElementById("host"), about, {}).picture;
    return [marks.none, marks.two].map((each) => each.node.getAttribute("d").replace(/[-0-9. ]+/g, ""));
};

const changedByAMenu = () => { heard['change:melts'](); const old = document.querySelector('.melting');
    document.querySelector('img').removeAttribute('src');
    return old && [old.width, old.offsetWidth, [...old.getContext('2d').getImageData(2, 2, 1, 1).data]]; };

// The first of two requests is decoded last.
const firstIsDecodedLast = () => { const decode = HTMLImageElement.prototype.decode; let calls = 0;
    HTMLImageElement.prototype.decode = async function () {
        const call = calls++; await decode.call(this);
        if (call === 0) await new Promise(done => setTimeout(done, 400)); }; };

const twoRequests = f => { const s = f.querySelector('input'); for (const v of [0, 2]) {
    s.value = v; s.dispatchEvent(new Event('input', { bubbles: true })); } };

const whereFocusIs = () => { const e = document.activeElement, p = e.closest('.play');
    return [p?.dataset.kind ?? '', e.matches('button.next') ? 'next' : e.tagName,
            getComputedStyle(e).outlineStyle !== 'none' || e.type === 'radio' || e === document.body]; };
