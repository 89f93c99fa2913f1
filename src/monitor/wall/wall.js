// SPDX-License-Identifier: LGPL-2.1-or-later
// The wall: a tile for each camera, live by server-sent events.

const wall = document.getElementById('wall');
const events = document.getElementById('events');
const connection = document.getElementById('connection');
const template = document.getElementById('tile');
const tiles = new Map();

function duration(seconds) {
  if (seconds < 60) return `${Math.max(0, Math.round(seconds))} s`;
  if (seconds < 3600) return `${Math.round(seconds / 60)} min`;
  return `${Math.round(seconds / 3600)} h`;
}

function tileOf(name) {
  if (!tiles.has(name)) {
    const tile = template.content.firstElementChild.cloneNode(true);
    tile.querySelector('h2').textContent = name;
    tiles.set(name, tile);
    wall.append(tile);
  }
  return tiles.get(name);
}

function words(camera) {
  const active = camera.active.map(c => c.words);
  if (active.length) return active.join(', ');
  return camera.state === 'up' ? 'is well' : `${camera.state} ${camera.reason}`;
}

function draw(canvas, histogram) {
  const context = canvas.getContext('2d');
  const bins = histogram?.luma ?? [];
  const most = Math.max(1, ...bins);
  context.clearRect(0, 0, canvas.width, canvas.height);
  context.fillStyle = getComputedStyle(canvas).color;
  bins.forEach((count, i) => {
    const height = Math.sqrt(count / most) * canvas.height;
    context.fillRect(i * 4, canvas.height - height, 3, height);
  });
}

function show(camera, now) {
  const tile = tileOf(camera.name);
  const img = tile.querySelector('img');
  const age = camera.last_frame ? (now - Date.parse(camera.last_frame)) / 1000 : null;
  tile.className = [camera.active.length || camera.state !== 'up' ? 'wrong' : '',
    age === null || age > 5 ? 'old' : ''].join(' ').trim();
  tile.querySelector('.state').textContent = words(camera);
  tile.querySelector('.age').textContent =
    age === null ? 'no picture yet' : `last frame ${duration(age)} ago`;
  if (camera.picture && img.dataset.time !== camera.picture) {
    img.dataset.time = camera.picture;
    img.src = `api/v1/cameras/${encodeURIComponent(camera.name)}/picture?${
      encodeURIComponent(camera.picture)}`;
    img.alt = `Picture of ${camera.name}`;
  }
  draw(tile.querySelector('canvas'), camera.histogram);
}

function tell(event) {
  const item = document.createElement('li');
  item.textContent = `${new Date(event.time).toLocaleString()}: ${event.camera} ${
    event.active ? event.words : `no longer ${event.words}`}`;
  events.prepend(item);
  while (events.children.length > 50) events.lastElementChild.remove();
}

const source = new EventSource('events');
source.onopen = () => { connection.textContent = 'Live'; };
source.onerror = () => { connection.textContent = 'The connection is lost; trying again'; };
source.addEventListener('cameras', message => {
  const { time, cameras } = JSON.parse(message.data);
  const names = new Set(cameras.map(c => c.name));
  for (const [name, tile] of tiles) {
    if (!names.has(name)) {
      tile.remove();
      tiles.delete(name);
    }
  }
  for (const camera of cameras) show(camera, Date.parse(time));
});
source.addEventListener('event', message => tell(JSON.parse(message.data)));
for (const event of await (await fetch('api/v1/events?limit=20')).json()) tell(event);
