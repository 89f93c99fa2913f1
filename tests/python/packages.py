#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""The Debian packages that pipelines/package makes, installed in a copy of this machine: the
elements are found, a program is compiled, Python counts, the monitor answers; and nothing is
left of them after their removal."""

import pathlib
import subprocess
import tempfile

import common

MOUNT = r'''
mount -t tmpfs tmpfs "$1" && mkdir "$1/new" "$1/work" "$1/root" || exit 77
mount -t overlay overlay -o "lowerdir=/,upperdir=$1/new,workdir=$1/work" "$1/root" || exit 77
mount -t tmpfs tmpfs "$1/root/tmp" || exit 77
mount -t proc proc "$1/root/proc" && mount --bind /dev "$1/root/dev" || exit 77
cp "$1"/../*.deb "$1"/../inside "$1/root/tmp"
exec chroot "$1/root" /bin/bash -eux /tmp/inside
'''

INSIDE = r'''
cd /tmp
unset LD_LIBRARY_PATH GI_TYPELIB_PATH GST_PLUGIN_PATH_1_0 G_DEBUG
export GST_REGISTRY_1_0=/tmp/registry LC_ALL=C
files() {
  find / -xdev \( -path /proc -o -path /tmp -o -path /var/lib/dpkg -o -path /var/log -o \
    -path /var/cache -o -path /var/lib/systemd -o -name __pycache__ \) -prune -o -print | sort
}
files >before
dpkg --install *.deb

gst-inspect-1.0 videohealth | grep Long-name
gst-inspect-1.0 videoscope | grep Long-name
gst-launch-1.0 -q videotestsrc num-buffers=3 ! videohistogram ! videoequalize ! fakesink
cat >one.c <<'END'
#include <gst/videohistogram/videohistogram.h>
int
main (int argc, char **argv)
{
  gst_init (&argc, &argv);
  g_object_unref (gst_video_histogram_engine_new ());
  return 0;
}
END
gcc -o one one.c $(pkg-config --cflags --libs gstreamer-videohistogram-1.0)
./one
/usr/bin/python3 -c "import gi
gi.require_version('GstVideoHistogram', '1.0')
from gi.repository import Gst, GstVideoHistogram
Gst.init(None)
GstVideoHistogram.VideoHistogramEngine.new()"

# What is to be copied is not compressed.
ls /usr/share/doc/gst-videohistogram/docs/monitor/{alerts.yml,alerts-test.yml,dashboard.json}
conf=/etc/videohistogram-monitor.conf
videohistogram-monitor --check --config $conf
man --where videohistogram-monitor
dpkg --listfiles videohistogram-monitor | grep systemd/system/videohistogram-monitor.service
dpkg --listfiles videohistogram-monitor | grep systemd/system/videohistogram-monitor@.service
videohistogram-monitor --config $conf --listen 127.0.0.1:0 --directory /tmp/kept >log 2>&1 &
for i in $(seq 600); do
  grep -q 'cameras at' log && break
  sleep 0.1
done
grep 'cameras at' log
kill $!
wait $!

for package in *.deb; do
  echo "${package%%_*}"
done | xargs dpkg --purge
files >after
diff before after
echo all is gone
'''


class Packages(common.unittest.TestCase):
    def test_install_and_remove(self):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            made = subprocess.run(
                [common.SOURCE / 'pipelines/package', '--no-cuda', folder],
                capture_output=True, text=True, check=False)
            self.assertEqual(made.returncode, 0, made.stdout + made.stderr)
            self.assertEqual(
                {p.name.split('_')[0] for p in folder.iterdir()},
                {'gir1.2-gstvideohistogram-1.0', 'gstreamer1.0-videohistogram',
                 'libgstvideohistogram-1.0-0', 'libgstvideohistogram-1.0-dev',
                 'videohistogram-monitor'})
            (folder / 'inside').write_text(INSIDE)
            (folder / 'copy').mkdir()
            done = subprocess.run(
                ['unshare', '--mount', '--pid', '--fork', 'bash', '-c', MOUNT, 'bash',
                 folder / 'copy'], capture_output=True, text=True, check=False)
            output = done.stdout + done.stderr
            if done.returncode == 77 or 'Operation not permitted' in done.stderr:
                common.skip(f'only root can make such a copy, with overlayfs: {output}')
            self.assertEqual(done.returncode, 0, output)
            self.assertIn('all is gone', done.stdout)


if __name__ == '__main__':
    common.main()
