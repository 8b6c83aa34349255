import { defineConfig } from "vite";

/** One script, one stylesheet, names without hashes: the page is committed, and a rebuild can be compared with it. */
export default defineConfig({
  base: "./",
  oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
  build: {
    outDir: "../src/regard/viewer/static",
    emptyOutDir: true,
    target: "es2022",
    modulePreload: false,
    assetsInlineLimit: 0, // nothing inline: the page runs under a policy that forbids it
    cssCodeSplit: false,
    rolldownOptions: {
      output: {
        entryFileNames: "page.js",
        assetFileNames: "page[extname]",
        codeSplitting: false,
      },
    },
  },
  server: { proxy: { "/api": "http://127.0.0.1:8765" } },
});
