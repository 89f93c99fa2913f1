# SPDX-License-Identifier: LGPL-2.1-or-later
"""Groups of cameras, users and their roles, and what they did."""

import common


class Groups(common.Case):
    CONFIG = '[cameras]\ngroup={}\n[camera a]\nuri=test\n[camera b]\nuri=test\ngroup={}\n'

    def groups(self, monitor):
        return [c['group'] for c in monitor.json('cameras')]

    def info(self, monitor):
        return sorted(m for m in monitor.metrics() if 'camera_info{' in m)

    def test_reload(self):
        """A change of the group does not disturb the camera."""
        monitor = self.monitor(config=self.CONFIG.format('North gate', ''))
        for name in 'ab':
            monitor.wait_for_state(name, 'up')
        since = monitor.camera('a')['since']
        self.assertEqual(self.groups(monitor), ['North gate', ''])
        self.assertEqual(self.info(monitor), [
            'videohistogram_camera_info{camera="a",group="North gate"}',
            'videohistogram_camera_info{camera="b"}'])
        monitor.config.write_text(self.CONFIG.format('<script> & Söhne', 'b'))
        monitor.reload()
        self.assertEqual(self.groups(monitor), ['<script> & Söhne', 'b'])
        self.assertEqual(self.info(monitor)[0],
                         'videohistogram_camera_info{camera="a",group="<script> & Söhne"}')
        camera = monitor.camera('a')
        self.assertEqual((camera['since'], camera['reconnects'], camera['state']),
                         (since, 0, 'up'))

    def test_names(self):
        for name in ('a/b', 'x' * 65, 'a"b', 'a\x1b[31m', '\u202e', '..'):
            with self.subTest(name=name):
                path = self.write('monitor.conf', f'[camera a]\nuri=test\ngroup={name}\n')
                status, output = common.check('--check', '--config', str(path))
                self.assertEqual(status, 2, output)
                self.assertIn('is not a valid group name: use 1 to 64 bytes', output)
                self.assertIn('such as North gate', output)
                self.assertTrue(all(line.isprintable() for line in output.split('\n')), output)


if __name__ == '__main__':
    common.main()
