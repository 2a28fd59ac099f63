import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitepress'

const vue = fileURLToPath(new URL('../node_modules/vue', import.meta.url))

const page = (text, link) => ({ text, link })

/** The guides of the README's last table: one group for each row, one page for each link. */
const sidebar = [...readFileSync(new URL('../../README.md', import.meta.url), 'utf8')
  .split('## Guides')[1]
  .matchAll(/^\| ([a-z ]+) \| (\[.*) \|$/gm)]
  .map(([, purpose, links]) => ({
    text: purpose[0].toUpperCase() + purpose.slice(1),
    items: [...links.matchAll(/\[([^\]]+)]\(([^)]+)\.md\)/g)].map(([, text, link]) => page(text, `/${link}`))
  }))

export default defineConfig({
  title: 'delayqueue',
  description: 'Delayed messages for Spring Boot, on the Redis that you already run',
  srcDir: '..',
  srcExclude: ['site/**', 'delayqueue-*/**', '**/target/**', '**/node_modules/**'],
  outDir: 'dist',
  rewrites: { 'README.md': 'index.md', 'README.zh-CN.md': 'zh-CN.md' },
  cleanUrls: true,
  // The plots follow the system's choice of light or dark, so the pages do so too.
  appearance: 'force-auto',
  markdown: {
    // an indented block looks and scrolls like a fenced one
    config: (md) => { md.renderer.rules.code_block = (...block) => md.renderer.rules.fence(...block) }
  },
  // Sources and other files of the repository are not pages of the site; RunbookTests checks that they exist.
  ignoreDeadLinks: [/\/src\/main\//, /\.jsonl$/, /^https?:\/\/localhost/],
  // The pages are outside of this directory, so they do not find its packages by themselves.
  vite: {
    resolve: {
      alias: [{ find: /^vue(\/server-renderer)?$/, replacement: `${vue}$1` }]
    }
  },
  themeConfig: {
    search: { provider: 'local' },
    outline: [2, 3],
    nav: [
      page('Getting started', '/docs/getting-started'),
      page('Guarantees', '/docs/guarantees'),
      page('Performance', '/docs/performance'),
      page('Runbook', '/docs/operations'),
      // not a page of this site, but that of the script "javadoc"
      { ...page('Javadoc', '/javadoc/index.html'), target: '_self' },
      page('中文', '/zh-CN')
    ],
    sidebar
  }
})
