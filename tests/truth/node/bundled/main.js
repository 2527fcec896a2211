var i=[];function o(e){i.push(e)}var s=class{constructor(t,r){this.path=t;this.body=r}path;body},n=class{entries=new Map;put(t,r){this.entries.set(t,new s(t,[r,r+1]))}};var a=require("../stage.cjs"),u=new n;function l(e){let t=e;o(r=>{t=Math.max(t,r)})}function m(e){u.put(`/item/${e}`,e),l(e)}a.play({noise:["cache","requests","guests","timers"],leak:m});
//# sourceMappingURL=main.js.map
