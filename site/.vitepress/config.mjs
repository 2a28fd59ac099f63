import { cpSync, readFileSync } from 'node:fs'
import { posix } from 'node:path'
import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitepress'

const root = fileURLToPath(new URL('../..', import.meta.url))

const vue = fileURLToPath(new URL('../node_modules/vue', import.meta.url))

const capitalized = (text) => text[0].toUpperCase() + text.slice(1)

const page = (text, link) => ({ text: capitalized(text), link })

/** Pages whose name on the site differs from that in the repository. */
const rewrites = { 'README.md': 'index.md', 'README.zh-CN.md': 'zh-CN.md' }

/** Other files of the repository that a page links to. */
const files = new Set()

/** Links go to the pages and files of the site; those to directories of sources become text. */
function adaptLinks({ env, tokens }) {
  for (const { children } of tokens.filter((token) => token.type === 'inline')) {
    children.forEach((token, at) => {
      const [path, hash] = token.attrGet('href')?.split(/(?=#)/) ?? []
      if (token.type !== 'link_open' || !path || /^(#|\w+:)/.test(path)) {
        return
      }
      const target = posix.join(posix.dirname(env.relativePath), path)
      if (rewrites[target]) {
        token.attrSet('href', `/${rewrites[target]}${hash ?? ''}`)
      }
      else if (target.endsWith('/')) {
        const close = children.findIndex((each, index) => index > at && each.type === 'link_close')
        children[close].type = token.type = 'html_inline'
        children[close].content = token.content = ''
      }
      else if (!target.endsWith('.md')) {
        files.add(target)
      }
    })
  }
}

function escape(text) {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')
}

/** The fences of VitePress, but Mermaid as a picture that the theme draws. */
function drawMermaid(fence) {
  return (tokens, at, ...rest) => tokens[at].info === 'mermaid'
    ? `<pre class="mermaid" v-pre>${escape(tokens[at].content)}</pre>`
    : fence(tokens, at, ...rest)
}

/** The guides of the README's last table: one group for each row, one page for each link. */
const sidebar = [...readFileSync(new URL('../../README.md', import.meta.url), 'utf8')
  .split('## Guides')[1]
  .matchAll(/^\| ([a-z ]+) \| (\[.*) \|$/gm)]
  .map(([, purpose, links]) => ({
    text: capitalized(purpose),
    items: [...links.matchAll(/\[([^\]]+)]\(([^)]+)\.md\)/g)].map(([, text, link]) => page(text, `/${link}`))
  }))

export default defineConfig({
  title: 'delayqueue',
  description: 'Delayed messages for Spring Boot, on the Redis that you already run',
  srcDir: '..',
  srcExclude: ['site/**', 'delayqueue-*/**', '**/target/**', '**/node_modules/**'],
  outDir: 'dist',
  rewrites,
  cleanUrls: true,
  // The plots follow the system's choice of light or dark, so the pages do so too.
  appearance: 'force-auto',
  markdown: {
    // the anchors of GitHub, which RunbookTests checks
    anchor: { slugify: (text) => text.toLowerCase().replace(/[^\p{L}\p{N}_\- ]/gu, '').replaceAll(' ', '-') },
    config: (md) => {
      md.core.ruler.push('adapt_links', adaptLinks)
      md.renderer.rules.fence = drawMermaid(md.renderer.rules.fence)
      // an indented block looks and scrolls like a fenced one
      md.renderer.rules.code_block = (...block) => md.renderer.rules.fence(...block)
    }
  },
  // RunbookTests checks that the other files exist.
  ignoreDeadLinks: [/\.jsonl$/, /^https?:\/\/localhost/],
  buildEnd: ({ outDir }) => files.forEach((file) => cpSync(`${root}/${file}`, `${outDir}/${file}`)),
  // The pages are outside of this directory, so they do not find its packages by themselves.
  vite: {
    resolve: {
      alias: [{ find: /^vue(\/server-renderer)?$/, replacement: `${vue}$1` }]
    }
  },
  themeConfig: {
    search: {
      provider: 'local',
      options: { miniSearch: { searchOptions: { boostDocument: (id) => /^\/(docs\/(?!internals)|#)/.test(id) ? 2 : 1 } } }
    },
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
