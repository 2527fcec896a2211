export default {test: {include: ['*.vitest.mjs'], setupFiles: ['hsdiff-noleak/vitest'], watch: false}};
