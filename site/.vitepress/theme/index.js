import { useData, useRoute } from 'vitepress'
import DefaultTheme from 'vitepress/theme'
import { nextTick, onMounted, watch } from 'vue'
import './style.css'

/** Draws the Mermaid pictures of a page, again when light and dark change. Pages without one load nothing. */
async function draw(isDark) {
  await nextTick()
  const pictures = [...document.querySelectorAll('pre.mermaid')]
  if (pictures.length === 0) {
    return
  }
  const { default: mermaid } = await import('mermaid')
  const size = { useMaxWidth: false }
  mermaid.initialize({ startOnLoad: false, theme: isDark ? 'dark' : 'default', flowchart: size, sequence: size, state: size })
  for (const picture of pictures) {
    picture.textContent = picture.dataset.source ??= picture.textContent
    picture.removeAttribute('data-processed')
  }
  await mermaid.run({ nodes: pictures })
}

export default {
  extends: DefaultTheme,
  setup() {
    const { isDark } = useData()
    const route = useRoute()
    onMounted(() => draw(isDark.value))
    watch([() => route.path, isDark], () => draw(isDark.value), { flush: 'post' })
  }
}
