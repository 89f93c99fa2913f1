# SPDX-License-Identifier: LGPL-2.1-or-later
"""What people do with the pages, in Chromium: each flow from its begin to its end."""

import browser
import common

SECRET = 'a-secret-of-32-characters-length'

LOGIN = 'document.querySelector("input[name=secret]")'
WALL = 'document.querySelectorAll("article").length'


class Flow(common.Case):
    def browse(self, **options):
        page = browser.Browser(**options)
        self.addCleanup(page.close)
        return page


class Login(Flow):
    def secure(self, more=''):
        self.write('secret', SECRET)
        return self.monitor(config=f'[camera a]\nuri=test\n[http]\nsecret=secret\n{more}')

    def log_in(self, page, secret):
        page.wait_for(f'document.readyState === "complete" && {LOGIN}')
        page.click(LOGIN)
        page.write(secret)
        page.click('document.querySelector("button")')

    def check(self, page, url):
        """With a wrong secret, and with the right one."""
        page.open(url)
        self.log_in(page, SECRET[:-1])
        page.wait_for('location.hash === "#wrong" && '
                      'getComputedStyle(document.getElementById("wrong")).display === "block"')
        self.log_in(page, SECRET)
        page.wait_for(f'{WALL} === 1')
        page.wait_for('document.querySelector("article").dataset.picture')
        self.assertEqual(page.evaluate('location.href'), url)

    def test_loopback(self):
        """Without TLS, by each name of this machine."""
        monitor = self.secure()
        page = self.browse()
        for host in ('127.0.0.1', 'localhost'):
            with self.subTest(host=host):
                self.check(page, f'http://{host}:{monitor.port}/')
        self.assertEqual(page.problems, [])

    def test_tls(self):
        self.certify('cert')
        monitor = self.secure('certificate=cert.pem\nkey=cert.key\n')
        page = self.browse()
        # Somebody has said that this certificate will do.
        page.call('Security.setIgnoreCertificateErrors', ignore=True)
        self.check(page, f'https://127.0.0.1:{monitor.port}/')
        self.assertEqual(page.problems, [])


if __name__ == '__main__':
    if not browser.path():
        common.skip('there is no chromium: the package chromium has it')
    common.main()
