#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Installs the Debian packages of pipelines/package in a copy of this machine. The elements are
found, a program compiles, Python counts, the monitor answers, and nothing remains after the
packages are removed."""

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
# Where packages have files; others of this machine may write elsewhere meanwhile.
files() {
  find /etc /opt /srv /usr /var \( -path /var/lib/dpkg -o -path /var/log -o -path /var/cache -o \
    -path /var/lib/systemd -o -path /var/tmp -o -name __pycache__ \) -prune -o -print | sort
}
files >before
dpkg --install *.deb

# What is installed is root's, nobody else writes to it, nothing looks for libraries where it was
# built, and each program has a manual page.
for package in *.deb; do
  dpkg-deb --contents $package
done >contents
modes='(-rw-r--r--|-rwxr-xr-x|drwxr-xr-x|lrwxrwxrwx)'
odd=$(grep -Ev "^$modes root/root .* \./((etc|lib|usr)(/.*)?)?$" contents || true)
[ -z "$odd" ]
installed=$(for package in *.deb; do dpkg --listfiles ${package%%_*}; done)
odd=$(xargs readelf --dynamic <<<"$installed" 2>/dev/null | grep 'R\(UN\)\?PATH' || true)
[ -z "$odd" ]
for program in $(dpkg --listfiles videohistogram-monitor | grep '^/usr/bin/.'); do
  man --where ${program##*/}
done
man --where 7 gst-videohistogram

gst-inspect-1.0 videohealth | grep Long-name
gst-inspect-1.0 videoscope | grep Long-name
gst-launch-1.0 -q videotestsrc num-buffers=3 ! videohistogram ! videoequalize ! \
  videoscope scopes=histogram+waveform+vectorscope ! fakesink
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

# Files for users to copy are not compressed.
ls /usr/share/doc/gst-videohistogram/docs/monitor/{alerts.yml,alerts-test.yml,dashboard.json}
ls /usr/share/doc/gst-videohistogram/docs/monitor/fleet/{kubernetes.yaml,mosquitto-site.conf}
conf=/etc/videohistogram-monitor.conf
videohistogram-monitor --check --config $conf
units=$(dpkg --listfiles videohistogram-monitor | grep 'systemd/system/.*\.service')
[ $(wc -l <<<"$units") = 2 ]
for unit in $units; do
  cp $unit ${unit##*/}
done
mv videohistogram-monitor@.service videohistogram-monitor@north.service
systemd-analyze verify ./videohistogram-monitor.service ./videohistogram-monitor@north.service
videohistogram-monitor --config $conf --listen 127.0.0.1:0 --directory /tmp/kept >log 2>&1 &
for i in $(seq 600); do
  grep -q 'cameras\?, page at' log && break
  sleep 0.1
done
address=$(sed -n 's/.* cameras\?, page at //p' log)
[ "$address" ]
/usr/bin/python3 - $address <<'END'
import json
import sys
import time
import urllib.request

def ask(path):
    with urllib.request.urlopen(sys.argv[1] + path) as answer:
        return answer.read()

for _ in range(600):
    camera, = json.loads(ask('api/v1/cameras'))
    if camera['picture']:
        break
    time.sleep(0.1)
assert camera['state'] == 'up', camera
for path in ('', 'wall.js', 'metrics', 'healthz', f'api/v1/cameras/{camera["name"]}/picture'):
    assert ask(path), path
END
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
                 'libgstvideohistogram-1.0-1', 'libgstvideohistogram-1.0-dev',
                 'libgstvideohistogram-1.0-doc',
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
