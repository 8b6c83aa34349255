import { defineConfig } from "vite";

/**
 * One bundle for the page and for notebooks, one stylesheet, names without hashes: they are committed, and a rebuild can
 * be compared with them. `public/` holds the few lines around the bundle; nothing is inline, as the server's policy asks.
 */
export default defineConfig({
  oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
  define: { "process.env.NODE_ENV": JSON.stringify("production") },
  build: {
    outDir: "../src/regard/viewer/static",
    emptyOutDir: true,
    target: "es2022",
    modulePreload: false,
    cssCodeSplit: false,
    rolldownOptions: {
      input: "src/main.tsx",
      preserveEntrySignatures: "strict", // the page and the notebook import from it
      output: { entryFileNames: "widget.js", assetFileNames: "page[extname]", codeSplitting: false },
    },
  },
});
