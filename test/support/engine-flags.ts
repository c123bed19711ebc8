/**
 * How V8 compiles the engine in tests: function by function when each is first called, checked only then, and never optimised. To optimise
 * takes two seconds of processor time, and pays only in programs that live long.
 */
export const QUICK_ENGINE_FLAGS: readonly string[] = ["--liftoff-only", "--wasm-lazy-compilation", "--wasm-lazy-validation"];
