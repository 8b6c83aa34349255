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
    minify: true,
    lib: { entry: "src/main.tsx", formats: ["es"], fileName: () => "widget.js", cssFileName: "page" },
  },
});
