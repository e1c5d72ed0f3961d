'use strict';
// Every table: a click on a heading sorts, a second one reverses the order, a third restores it. Large
// tables get a filter and a choice of columns, all a button that copies them. Without this script the
// tables stay as written.
const make = (tag, fields, ...children) => {
  const element = Object.assign(document.createElement(tag), fields);
  element.append(...children);
  return element;
};
const button = (text, act, label = text) => {
  const element = make('button', { type: 'button', ariaLabel: label }, text);
  element.addEventListener('click', () => act(element));
  return element;
};
// The visible part of a table as CSV: numbers with all digits, intervals as two columns.
const csv = table => {
  const quote = text => /[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  const rows = [...table.rows].filter(row => !row.hidden), head = [...rows[0].cells];
  const visible = head.map((cell, index) => index).filter(index => !head[index].hidden);
  const ranged = visible.filter(index => rows.some(row => row.cells[index].dataset.high));
  const fields = (cell, index, isHead) => {
    const text = cell.textContent.replace(/\u00a0$/, '').trim(), { v, high } = cell.dataset;
    if (!ranged.includes(index)) return [v === undefined || head[index].className === 't' ? text : v];
    return isHead ? [`${text} low`, `${text} high`] : [v ?? '', high ?? ''];
  };
  return rows.map((row, line) => visible.flatMap(index => fields(row.cells[index], index, line === 0)).map(quote).join(',') + '\n').join('');
};
const copyButton = table => button('copy as CSV', async self => {
  await navigator.clipboard.writeText(csv(table));
  self.textContent = 'copied';
  setTimeout(() => { self.textContent = 'copy as CSV'; }, 1500);
});
for (const table of document.querySelectorAll('.scroll table')) {
  const body = table.tBodies[0], rows = [...body.rows], heads = [...table.tHead.rows[0].cells];
  const sort = (index, direction) => {
    heads.forEach(head => head.removeAttribute('aria-sort'));
    if (!direction) return body.append(...rows);
    heads[index].setAttribute('aria-sort', direction > 0 ? 'ascending' : 'descending');
    const value = row => row.cells[index].dataset.v === undefined ? null : Number(row.cells[index].dataset.v);
    const isText = !rows.some(row => value(row) !== null);
    body.append(...[...rows].sort((a, b) => {
      if (isText) return direction * a.cells[index].textContent.localeCompare(b.cells[index].textContent, 'en', { numeric: true });
      const x = value(a), y = value(b);
      // Rows without a number stay last in both directions.
      return x === null || y === null ? (x === null) - (y === null) : direction * (x - y);
    }));
  };
  heads.forEach((head, index) => head.querySelector('button').addEventListener('click', () =>
    sort(index, { ascending: -1, descending: 0 }[head.getAttribute('aria-sort')] ?? 1)));
  const tools = make('div', { className: 'tools' }), count = make('span', {});
  const filter = make('input', { type: 'search', placeholder: 'filter rows', ariaLabel: 'filter rows' });
  const differing = make('input', { type: 'checkbox' }), moved = heads.findIndex(head => head.dataset.key === 'moved');
  const select = () => {
    const terms = filter.value.toLowerCase().split(/\s+/).filter(Boolean);
    const differs = row => !differing.checked || row.cells[moved].dataset.v !== '0';
    rows.forEach(row => { row.hidden = !differs(row) || !terms.every(word => row.textContent.toLowerCase().includes(word)); });
    const visible = rows.filter(row => !row.hidden).length;
    count.textContent = visible < rows.length ? `${visible} of ${rows.length}` : '';
  };
  [filter, differing].forEach(input => input.addEventListener('input', select));
  if (rows.length > 7) tools.append(filter);
  if (moved >= 0) tools.append(make('label', {}, differing, 'only rows that differ'));
  tools.append(count);
  if (heads.length > 5) {
    const labels = heads.map((head, index) => {
      const box = make('input', { type: 'checkbox', checked: true });
      box.addEventListener('change', () => [...table.rows].forEach(row => { row.cells[index].hidden = !box.checked; }));
      return make('label', {}, box, ' ' + head.textContent);
    });
    tools.append(make('details', {}, make('summary', {}, 'columns'), ...labels.slice(1)));
  }
  tools.append(copyButton(table));
  table.parentElement.before(tools);
}

// Every figure: as a file.
const save = (name, url) => make('a', { href: url, download: name }).click();
const fileButtons = (name, drawing) => {
  const file = () => {
    const copy = drawing().cloneNode(true), style = document.createElementNS('http://www.w3.org/2000/svg', 'style');
    style.textContent = document.getElementById('figure-style').textContent + 'svg{background:var(--page)}';
    copy.prepend(style);
    copy.setAttribute('height', copy.viewBox.baseVal.height);
    return 'data:image/svg+xml;charset=utf-8,' + encodeURIComponent(new XMLSerializer().serializeToString(copy));
  };
  const png = async () => {
    const image = make('img', { src: file() });
    await image.decode();
    const canvas = make('canvas', { width: 2 * image.width, height: 2 * image.height });
    canvas.getContext('2d').drawImage(image, 0, 0, canvas.width, canvas.height);
    save(`${name}.png`, canvas.toDataURL('image/png'));
  };
  return [button('SVG', () => save(`${name}.svg`, file()), `${name} as SVG`), button('PNG', png, `${name} as PNG`)];
};
for (const figure of document.querySelectorAll('figure'))
  figure.querySelector('figcaption').after(make('div', { className: 'tools' }, ...fileButtons(figure.id, () => figure.querySelector('.wide svg'))));

// The explorer: two variants position by position as a scatter plot and a table, most different first.
for (const explore of document.querySelectorAll('.explore')) {
  const data = JSON.parse(explore.querySelector('script').textContent);
  const draw = (tag, fields, ...children) => {
    const element = document.createElementNS('http://www.w3.org/2000/svg', tag);
    Object.entries(fields).forEach(([name, value]) => element.setAttribute(name, value));
    element.append(...children);
    return element;
  };
  const choice = (name, selected) => make('select', { ariaLabel: name },
    ...data.lines.map((line, index) => make('option', { value: index, selected: index === selected }, line)));
  const first = choice('first variant', data.base), second = choice('second variant', data.base ? 0 : 1);
  const swap = make('button', { type: 'button' }, 'swap'), status = make('p', { className: 'note', role: 'status' });
  const differing = make('input', { type: 'checkbox' });
  const plot = make('div', {}), body = make('tbody', {}), head = make('tr', {});
  const keyOf = key => data.suite ? `${data.suite}.${key}` : key;
  const table = make('table', { id: keyOf('searches') }, make('thead', {}, head), body);
  const short = value => value >= 1e6 ? value / 1e6 + 'M' : value >= 1e4 ? value / 1e3 + 'k' : String(value);
  const show = () => {
    const [a, b] = [data.values[first.value], data.values[second.value]];
    const names = [data.lines[first.value], data.lines[second.value]];
    const pairs = data.positions.map((name, index) => ({ name, x: a[index], y: b[index] })).filter(pair => pair.x > 0 && pair.y > 0);
    pairs.forEach(pair => { pair.ratio = pair.y / pair.x; });
    const distance = pair => Math.abs(Math.log(pair.ratio));
    pairs.sort((p, q) => distance(q) - distance(p));
    const fewer = pairs.filter(pair => pair.ratio < 1).length, more = pairs.filter(pair => pair.ratio > 1).length;
    const mean = Math.exp(pairs.reduce((sum, pair) => sum + Math.log(pair.ratio), 0) / pairs.length);
    status.textContent = pairs.length ? `${pairs.length} searches of both; the second needs fewer in ${fewer}, more in ${more}; geometric mean of the ratios ${mean.toFixed(3)}.`
      : 'They have no search in common.';
    head.replaceChildren(...['position', ...names, 'second / first'].map((text, index) => make('th', { className: index ? '' : 't' }, text)));
    body.replaceChildren(...pairs.filter(pair => !differing.checked || pair.x !== pair.y).map(pair => make('tr', {}, make('td', { className: 't' }, pair.name),
      ...[[pair.x, pair.x.toLocaleString('en')], [pair.y, pair.y.toLocaleString('en')], [pair.ratio, pair.ratio.toFixed(3)]].map(([value, text]) => {
        const cell = make('td', {}, text);
        cell.dataset.v = value;
        return cell;
      }))));
    const width = Math.min(560, explore.clientWidth || 560), left = 52, right = width - 12, bottom = right - 30;
    const values = pairs.flatMap(pair => [pair.x, pair.y]);
    const [min, max] = [Math.min(...values) / 1.2, Math.max(...values) * 1.2].map(Math.log);
    const pixel = (value, from, to) => from + (Math.log(value) - min) / (max - min) * (to - from);
    const x = value => pixel(value, left, right), y = value => pixel(value, bottom, 10);
    const svg = draw('svg', { viewBox: `0 0 ${width} ${right + 14}`, width, role: 'img', 'aria-label': `${names[1]} against ${names[0]}` });
    let lastLabel = -Infinity;
    for (let power = 1; power < 1e15; power *= 10) for (const tick of [power, 2 * power, 5 * power]) if (Math.log(tick) > min && Math.log(tick) < max) {
      if (max - min > 5 && tick !== power) continue;
      svg.append(draw('line', { class: 'rule', x1: x(tick), y1: 10, x2: x(tick), y2: bottom }), draw('line', { class: 'rule', x1: left, y1: y(tick), x2: right, y2: y(tick) }));
      if (x(tick) - lastLabel > 44) {
        svg.append(draw('text', { x: x(tick), y: bottom + 16, 'text-anchor': 'middle' }, short(tick)), draw('text', { x: left - 6, y: y(tick) + 4, 'text-anchor': 'end' }, short(tick)));
        lastLabel = x(tick);
      }
    }
    svg.append(draw('line', { class: 'one', x1: left, y1: bottom, x2: right, y2: 10 }));
    pairs.forEach(pair => svg.append(draw('circle', { class: 's1 dot', cx: x(pair.x), cy: y(pair.y), r: 4 },
      draw('title', {}, `${pair.name}: ${pair.x.toLocaleString('en')}, ${pair.y.toLocaleString('en')}, ratio ${pair.ratio.toFixed(3)}`))));
    svg.append(draw('text', { class: 'faint', x: (left + right) / 2, y: right + 8, 'text-anchor': 'middle' }, `${data.metric}, first variant`),
      draw('text', { class: 'faint', transform: `translate(11 ${(bottom + 10) / 2}) rotate(-90)`, 'text-anchor': 'middle' }, `${data.metric}, second variant`));
    plot.replaceChildren(...(pairs.length ? [svg] : []));
  };
  [first, second, differing].forEach(input => input.addEventListener('change', show));
  swap.addEventListener('click', () => { [first.value, second.value] = [second.value, first.value]; show(); });
  explore.append(make('div', { className: 'tools' }, make('label', {}, 'first ', first), make('label', {}, 'second ', second), swap,
    make('label', {}, differing, 'only rows that differ'), copyButton(table), ...fileButtons(keyOf('explore'), () => plot.firstChild)),
    status, plot, make('div', { className: 'scroll tall', tabIndex: 0, role: 'region', ariaLabel: 'searches' }, table));
  show();
  // A button beside each variant of the summary leads to its positions.
  const summary = document.getElementById(keyOf('summary')), lines = summary ? [...summary.tBodies[0].rows] : [];
  data.places.forEach((place, index) => {
    const row = lines[place];
    if (!row || index === data.base) return;
    const go = make('button', { type: 'button', className: 'go', title: 'position by position', ariaLabel: `positions of ${data.lines[index]}` });
    go.addEventListener('click', () => {
      [first.value, second.value] = [data.base, index];
      show();
      explore.scrollIntoView();
      second.focus();
    });
    row.cells[0].append('\u00a0', go);
  });
}
