// biome-ignore lint/suspicious/noExplicitAny: tests look into answers and documents of every shape
export type Json = any
