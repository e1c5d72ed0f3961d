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
    const text = cell.textContent.trim(), { v, high } = cell.dataset;
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
