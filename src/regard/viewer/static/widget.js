// node_modules/preact/dist/preact.mjs
var e, t, n, r, i, a, o, s, c, l, u, d = Symbol.for("pv"), f = {}, p = [], m = /^m(i|n|o|s|text|space)$/, h = Array.isArray, g = p.slice, _ = Object.assign;
function v(e) {
	e && e.parentNode && e.remove();
}
function y(e, t, n) {
	var r, i, a, o = {}, s = arguments.length;
	for (a in t) a == "key" ? r = t[a] : a == "ref" && typeof e != "function" ? i = t[a] : o[a] = t[a];
	return s > 2 && (o.children = s > 3 ? g.call(arguments, 2) : n), b(e, o, r, i, null);
}
function b(n, r, i, a, o) {
	var s = {
		type: n,
		props: r,
		key: i,
		ref: a,
		__k: null,
		__: null,
		__b: 0,
		__e: null,
		__c: null,
		constructor: d,
		__v: o || ++t,
		__i: -1,
		__u: 0
	};
	return !o && e.vnode && e.vnode(s), s;
}
function x(e) {
	return e.children;
}
function S(e, t) {
	this.props = e, this.context = t, this.__g = 0;
}
function ee(e, t) {
	if (t == null) return e.__ && ee(e.__, e.__i + 1);
	for (var n; t < e.__k.length; t++) if ((n = e.__k[t]) && n.__e) return n.__e;
	return typeof e.type != "function" || e.props.__P ? null : ee(e);
}
function C(t) {
	var n, r = t.__v, i = r.__e, a = [], o = [], s = t.__P;
	s && ((n = _({ constructor: d }, r)).__v = r.__v + 1, e.vnode && e.vnode(n), ce(s, n, r, t.__n, s.namespaceURI, 32 & r.__u ? [i] : null, a, i || ee(r), 32 & r.__u, o), n.__v = r.__v, n.__.__k[n.__i] = n, de(a, n, o), r.__ = r.__e = null, n.__e != i && w(n));
}
function w(e) {
	if ((e = e.__) && e.__c && !e.props.__P) return e.__e = null, e.__k.some(function(t) {
		return t && (e.__e = t.__e);
	}), w(e);
}
function T(t) {
	(8 & t.__g || (t.__g |= 8, r.push(t), a++)) && i == e.debounceRendering || ((i = e.debounceRendering) || queueMicrotask)(E);
}
function E() {
	try {
		for (var e, t = 1; r.length;) r.length > t && r.sort(o), e = r.shift(), t = r.length, 8 & e.__g && C(e);
	} finally {
		(a = r.length) && (i || queueMicrotask)(E);
	}
}
function te(e, t, n, r, i, a, o, s, c, l, u) {
	var d, m, h, g, _, v, y = r.__k || p, b = t.length;
	for (c = ne(n, t, y, c, b), d = 0; d < b; d++) (h = n.__k[d]) != null && (m = ~h.__i && y[h.__i] || f, h.__i = d, v = ce(e, h, m, i, a, o, s, c, l, u), g = h.__e, (m.ref != h.ref || 8 & m.__u) && (m.ref && pe(m.ref, null, h, m), h.ref && u.push(h.ref, h.__c || g, h)), _ ||= g, 4 & h.__u ? (c = re(h, c, e, !m.__v), m.__e && (m.__e = null)) : typeof h.type == "function" && v !== void 0 ? c = v : g && (c = g.nextSibling), h.__u &= -21);
	return n.__e = _, c;
}
function ne(e, t, n, r, i) {
	var a, o, s, c, l, u, f, p, m, g = n.length, _ = g, v = 0, y = 0, S = e.__k = Array(i);
	for (a = 0; a < i; a++) (o = t[a]) != null && typeof o != "boolean" && typeof o != "function" ? (typeof o != "object" || o.constructor === String ? o = S[a] = b(null, o) : h(o) ? o = S[a] = b(x, { children: o }) : o.constructor === d && o.__b ? o = S[a] = b(o.type, o.props, o.key, o.ref, o.__v) : S[a] = o, c = a + v, o.__ = e, o.__b = e.__b + 1, s = null, ~(l = o.__i = ie(o, n, c, _)) && (_--, (s = n[l]) && (s.__u |= 2)), s && s.__v ? (o.__u |= 16, l == c - 1 ? v-- : l == c + 1 ? v++ : l != c && (l > c ? v-- : v++, y = 1)) : (~l || (i > g ? v-- : i < g && v++), typeof o.type != "function" && (o.__u |= 4))) : S[a] = null;
	if (y) {
		for (u = [], f = [], a = 0; a < i; a++) if ((o = S[a]) && 16 & o.__u) {
			for (v = 0, p = u.length; v < p;) u[m = v + p >> 1] < o.__i ? v = m + 1 : p = m;
			u[v] = o.__i, f[a] = v + 1;
		}
		for (v = u.length; a--;) f[a] && (f[a] == v ? v-- : S[a].__u |= 4);
	}
	if (_) for (a = 0; a < g; a++) !(s = n[a]) || 2 & s.__u || (s.__e == r && (r = ee(s)), me(s, s));
	return r;
}
function re(e, t, n, r) {
	var i, a, o, s;
	if (typeof e.type == "function") {
		if (e.props.__P) return t;
		if (i = e.__k) for (a = 0; a < i.length; a++) i[a] && (i[a].__ = e, t = re(i[a], t, n, !1));
		return t;
	}
	for (t && !t.parentNode && (t = ee(e)) && !t.parentNode && (t = null), o = e.__e, s = t; s && s.nodeType == 8;) s = s.nextSibling;
	for (o != s && (!r && n.moveBefore && o.parentNode ? n.moveBefore(o, t) : n.insertBefore(o, t || null)), t = o; (t &&= t.nextSibling) && t.nodeType == 8 && !t.data.startsWith("$s"););
	return t;
}
function ie(e, t, n, r) {
	var i, a = e.key, o = e.type, s = t[n], c = s && !(2 & s.__u);
	if (s === null && a == null || c && a == s.key && o == s.type) return n;
	if (r > +!!c) {
		for (i = n - 1; i >= 0; i--) if ((s = t[i]) && !(2 & s.__u) && a == s.key && o == s.type) return i;
		for (i = n + 1; i < t.length; i++) if ((s = t[i]) && !(2 & s.__u) && a == s.key && o == s.type) return i;
	}
	return -1;
}
function ae(e, t, n) {
	n ??= "", t[0] == "-" ? e.setProperty(t, n) : e[t] = n;
}
function oe(e, t, n, r, i) {
	var a, o;
	if (t == "style") {
		if (typeof n == "string") e.style.cssText = n;
		else {
			if (typeof r == "string" && (e.style.cssText = r = ""), r) for (t in r) n && t in n || ae(e.style, t);
			if (n) for (t in n) r && n[t] == r[t] || ae(e.style, t, n[t]);
		}
	} else if (t[0] == "o" && t[1] == "n") typeof n != "function" && (n = null), typeof r != "function" && (r = null), (e.__e ||= {})[t] = n, n && r || (o = u[t] || (u[t] = se(t)), (e.__a ||= {})[t] = l, a = t != (t = t.replace(c, "$1")), (t = t.slice(2))[0] < "a" && (t = t.toLowerCase()), n ? e.addEventListener(t, o, a) : e.removeEventListener(t, o, a));
	else {
		if (i == "http://www.w3.org/2000/svg") t = t.replace(/xlink(H|:h)/, "h").replace(/sName$/, "s");
		else if (t != "width" && t != "height" && t != "href" && t != "list" && t != "form" && t != "tabIndex" && t != "download" && t != "rowSpan" && t != "colSpan" && t != "role" && t != "popover" && t in e) try {
			e[t] = n ?? "";
			return;
		} catch {}
		if (typeof n == "function") return;
		n == null || !1 === n && t[4] != "-" ? e.removeAttribute(t) : e.setAttribute(t, t == "popover" && n == 1 ? "" : n);
	}
}
function se(t) {
	return function(n) {
		var r = this.__e;
		if (r) {
			if (r = r[t], n[s] == null) n[s] = l++;
			else if (n[s] < this.__a[t]) return;
			return r(e.event ? e.event(n) : n);
		}
	};
}
function ce(t, n, r, i, a, o, s, c, l, u) {
	var f, m, g, y, b, C, w, T, E, ne, re, ie, ae, oe, se, ce, de, pe, ge = n.type;
	if (n.constructor !== d) return null;
	128 & r.__u && (l = 32 & r.__u, f = r.__c.__z) && (n.__u |= l, m = o = [], f.nodeType == 8 ? c = le(f, o) : o.push(f), c = o[0] || c), (f = e.__b) && f(n);
	n: if (typeof ge == "function") {
		g = s.length;
		try {
			if (T = n.props, E = (f = ge.prototype) && f.render, ne = (f = ge.contextType) && i[f.__c], re = f ? ne ? ne.props.value : f.__ : i, (y = r.__c) ? (n.__c = y, 2 & y.__g && (y.__g |= 1)) : (E ? n.__c = y = new ge(T, re) : (n.__c = y = new S(T, re), y.constructor = ge, y.render = he), ne && ne.sub(y), y.state || (y.state = {}), y.__n = i, y.__g |= 8, y.__h = [], y.__k = []), E && (y.__s || (y.__s = y.state), ge.getDerivedStateFromProps && (y.__s == y.state && (y.__s = _({}, y.__s)), _(y.__s, ge.getDerivedStateFromProps(T, y.__s)))), b = y.props, C = y.state, y.__v = n, r.__c) {
				if (T !== b && E && !ge.getDerivedStateFromProps && y.componentWillReceiveProps && y.componentWillReceiveProps(T, re), n.__v == r.__v && !(8 & y.__g) || !(4 & y.__g) && y.shouldComponentUpdate && !1 === y.shouldComponentUpdate(T, y.__s, re)) {
					n.__v != r.__v && (y.props = T, y.state = y.__s, y.__g &= -9), n.__e = r.__e, n.__k = r.__k, n.__k.some(function(e) {
						e && (e.__ = n);
					}), p.push.apply(y.__h, y.__k), y.__k = [], y.__h.length && s.push(y), c = ee(r);
					break n;
				}
				y.componentWillUpdate && y.componentWillUpdate(T, y.__s, re), E && y.componentDidUpdate && y.__h.push(function() {
					y.componentDidUpdate(b, C, w);
				});
			} else E && !ge.getDerivedStateFromProps && y.componentWillMount && y.componentWillMount(), E && y.componentDidMount && y.__h.push(y.componentDidMount);
			y.context = re, y.props = T, y.__P = t, y.__g &= -5, ie = e.__r, ae = E ? 25 : 0;
			do
				y.__g &= -9, ie && ie(n), f = y.render(y.props, y.state = y.__s, y.context);
			while (8 & y.__g && ++ae < 25);
			E && (p.push.apply(y.__h, y.__k), y.__k = []), y.state = y.__s, y.getChildContext && (i = _({}, i, y.getChildContext())), E && r.__c && y.getSnapshotBeforeUpdate && (w = y.getSnapshotBeforeUpdate(b, C)), oe = f && f.type === x && f.key == null ? f.props.children : f, T.__P && (f = c, a = (t = T.__P).namespaceURI, l = o = null, r.props && r.props.__P != t && (r.__k.some(function(e) {
				e && me(e, e);
			}), r.__k = null), c = r.__k ? ee(r, 0) : null), c = te(t, h(oe) ? oe : [oe], n, r, i, a, o, s, c, l, u), T.__P && (n.__e = null, c = f), n.__u &= -161, m && m.some(v), y.__h.length && s.push(y), 1 & y.__g && (y.__g &= -4);
		} catch (t) {
			if (s.length = g, n.__v = null, l || o) {
				if (t && t.then) {
					if (n.__u |= 128 | l, o) {
						for (~(de = o.indexOf(c || void 0)) || (de = o.length); (pe = o[de - 1]) && pe.nodeType == 8;) de--;
						for (; de < o.length; de++) if (pe = o[de]) {
							if (o[de] = null, se) {
								if (pe == ce) break;
							} else {
								if (pe.nodeType != 8) break;
								pe.data.startsWith("$s") && (ce = le(se = pe));
							}
						}
					}
					if (!se) {
						for (; c && c.nodeType == 8 && c.nextSibling;) c = c.nextSibling;
						se = c;
					}
					(f = le(se = n.__c.__z || (n.__c.__z = se))) ? (n.__e = se, c = f) : n.__e = c, c &&= c.nextSibling;
				} else o && o.some(v);
			} else n.__e = r.__e;
			n.__k ||= r.__k || [], t && t.then || ue(n), e.__e(t, n, r);
		}
	} else c = n.__e = fe(r.__e, n, r, i, a, o, s, l, u, t);
	return (f = e.diffed) && f(n), c;
}
function le(e, t) {
	if (e && e.nodeType == 8 && e.data.startsWith("$s")) for (var n = 1; e = e.nextSibling;) {
		if (e.nodeType == 8) {
			if (e.data.startsWith("$s")) n++;
			else if (e.data.startsWith("/$s") && !--n) return e;
		}
		t && t.push(e);
	}
}
function ue(e) {
	e && (e.__c && (e.__c.__g |= 4), e.__k && e.__k.some(ue));
}
function de(t, n, r) {
	for (var i = 0; i < r.length;) pe(r[i++], r[i++], r[i++]);
	e.__c && e.__c(n, t), t.some(function(n) {
		try {
			t = n.__h, n.__h = [], t.some(function(e) {
				e.call(n);
			});
		} catch (t) {
			e.__e(t, n.__v);
		}
	});
}
function fe(t, n, r, i, a, o, s, c, l, u) {
	var d, p, _, y, b, x, S, C, w = r.props || f, T = n.props, E = n.type;
	if (E == "svg" ? a = "http://www.w3.org/2000/svg" : E == "math" ? a = "http://www.w3.org/1998/Math/MathML" : a ||= "http://www.w3.org/1999/xhtml", o) {
		for (d = 0; d < o.length; d++) if ((b = o[d]) && (E ? b.localName == E : b.nodeType == 3)) {
			t = b, o[d] = null;
			break;
		}
	}
	if (!t) {
		if (C = u.ownerDocument || document, !E) return C.createTextNode(T);
		t = C.createElementNS(a, E, T.is ? T : u), c &&= (e.__m && e.__m(n, o), !1), o = null;
	}
	if (E) {
		if (u = E == "template" && t.content || t, o = E == "textarea" && T.defaultValue != null ? null : o && g.call(u.childNodes), !c && o) for (w = {}, d = 0; d < t.attributes.length; d++) w[(b = t.attributes[d]).name] = b.value;
		for (d in w) b = w[d], d == "dangerouslySetInnerHTML" ? _ = b : d == "children" || d in T || d == "value" && "defaultValue" in T || d == "checked" && "defaultChecked" in T || oe(t, d, null, b, a);
		for (d in T) b = T[d], d == "children" ? y = b : d == "dangerouslySetInnerHTML" ? p = b : d == "value" ? x = b : d == "checked" ? S = b : c && typeof b != "function" || w[d] === b || oe(t, d, b, w[d], a);
		p ? (c || _ && (p.__html == _.__html || p.__html == t.innerHTML) || (t.innerHTML = p.__html), n.__k = []) : (_ && (t.textContent = ""), (E == "foreignObject" || a == "http://www.w3.org/1998/Math/MathML" && m.test(E)) && (a = "http://www.w3.org/1999/xhtml"), te(u, h(y) ? y : [y], n, r, i, a, o, s, o ? o[0] : r.__k && ee(r, 0), c, l), o && o.some(v)), c && E != "textarea" || (d = "value", E == "progress" && x == null ? t.removeAttribute(d) : x == null || x === t[d] && (E != "progress" || x) || oe(t, d, x, w[d], a), d = "checked", S != null && S != t[d] && oe(t, d, S, w[d], a));
	} else w === T || c && t.data == T || (t.data = T);
	return t;
}
function pe(t, n, r, i) {
	try {
		typeof t == "function" ? n ? n.__x = t(n) || 1 : (i &&= i.__c || i.__e) && (n = i.__x) && (i.__x = null, typeof n == "function" ? n() : t(null)) : t.current = n;
	} catch (t) {
		e.__e(t, r);
	}
}
function me(t, n, r) {
	var i, a, o, s;
	if (e.unmount && e.unmount(t), !(i = t.ref) || i.current && i.current != t.__e || pe(i, null, n, t), i = t.__c) {
		if (i.componentWillUnmount) try {
			i.componentWillUnmount();
		} catch (t) {
			e.__e(t, n);
		}
		i.__P = i.__n = null;
	}
	if (i = t.__k) for (s = 0; s < i.length; s++) i[s] && me(i[s], n, typeof t.type != "function" || r && !t.props.__P);
	!r && (i = t.__c) && (i = i.__z) && (a = le(i, o = [])) && (i == t.__e && o.some(v), v(a), v(i)), r || v(t.__e), t.__e = t.__c = t.__ = null;
}
function he(e, t, n) {
	return this.constructor(e, n);
}
function ge(t, n) {
	var r, i, a, o;
	e.__ && e.__(t, n), n.nodeType == 9 && (n = n.documentElement), i = (r = t && 32 & t.__u) ? null : n.__k, n.__k = b(x, { children: [t] }), a = [], o = [], ce(n, n.__k, i || f, f, n.namespaceURI, i ? null : n.firstChild ? g.call(n.childNodes) : null, a, i ? i.__e : n.firstChild, r, o), de(a, n.__k, o), n.__k.props.children = null;
}
e = { __e: function(e, t, n, r) {
	for (var i, o, s; t = t.__;) if ((i = t.__c) && !(1 & i.__g)) {
		i.__g |= 4;
		try {
			if ((s = (o = i.constructor) && o.getDerivedStateFromError) && i.setState(o.getDerivedStateFromError(e)), i.componentDidCatch && (i.componentDidCatch(e, r || {}), s = 1), s && 8 & i.__g) return void (i.__g |= 2);
		} catch (t) {
			e = t;
		}
	}
	throw a = 0, e;
} }, t = 0, n = function(e) {
	return e != null && e.constructor === d;
}, S.prototype.setState = function(e, t) {
	var n = this.__s;
	n && n != this.state || (n = this.__s = _({}, this.state)), typeof e == "function" && (e = e(_({}, n), this.props)), e && (_(n, e), this.__v && (t && this.__k.push(t), T(this)));
}, S.prototype.forceUpdate = function(e) {
	this.__v && (this.__g |= 4, e && this.__h.push(e), T(this));
}, S.prototype.render = x, r = [], a = 0, o = function(e, t) {
	return e.__v.__b - t.__v.__b;
}, s = Symbol(), c = /(PointerCapture)$|Capture$/i, l = 0, u = {};
// node_modules/preact/hooks/dist/hooks.mjs
var _e, D, ve, ye, be = Object.is, xe = 0, Se = [], Ce = [], O = e, we = O.__b, Te = O.__r, Ee = O.diffed, De = O.__c, Oe = O.unmount, ke = O.__;
function Ae(e, t) {
	O.__h && O.__h(D, e, xe || t), xe = 0;
	var n = D.__H || (D.__H = {
		__: [],
		__h: []
	});
	return e >= n.__.length && n.__.push({}), n.__[e];
}
function k(e) {
	return xe = 1, je(Be, e);
}
function je(e, t, n) {
	var r = Ae(_e++, 2);
	if (r.t = e, !r.__c && (r.__ = [n ? n(t) : Be(void 0, t), function(e) {
		var t = (r.__N || r.__)[0], n = r.t(t, e);
		be(t, n) || (r.__N = [n, r.__[1]], r.__c.setState({}));
	}], r.__c = D, !D.__f)) {
		D.__f = !0;
		var i = D.shouldComponentUpdate;
		D.shouldComponentUpdate = function(e, t, n) {
			var r = this.__H;
			if (!r) return !0;
			var a = !1, o = this.props != e;
			if (r.__.some(function(e) {
				e.__N && (a = !0, be(e.__[0], e.__N[0]) || (o = !0));
			}), i) {
				var s = i.call(this, e, t, n);
				return a ? s || o : s;
			}
			return !a || o;
		};
	}
	return r.__;
}
function A(e, t) {
	var n = Ae(_e++, 3);
	!O.__s && ze(n.__H, t) && (n.__P = !0, n.__ = e, n.u = t, D.__H.__h.push(n));
}
function Me(e) {
	return xe = 5, j(function() {
		return { current: e };
	}, []);
}
function j(e, t) {
	var n = Ae(_e++, 7);
	return ze(n.__H, t) && (n.__ = e(), n.__H = t), n.__;
}
function Ne() {
	var e;
	do {
		for (; e = Ce.shift();) try {
			Le(e);
		} catch (t) {
			O.__e(t, { __: (e = e.__P) && e.__v });
		}
		for (; e = Se.shift();) {
			var t = e.__H;
			if (e.__P && t) try {
				t.__h.some(Le), t.__h.some(Re), t.__h = [];
			} catch (n) {
				t.__h = [], O.__e(n, e.__v);
			}
		}
	} while (Ce.length);
}
O.__b = function(e) {
	D = null, we && we(e);
}, O.__ = function(e, t) {
	e && t.__k && t.__k.__m && (e.__m = t.__k.__m), ke && ke(e, t);
}, O.__r = function(e) {
	Te && Te(e), _e = 0;
	var t = (D = e.__c).__H;
	t && (ve == D ? D.__h = [] : (t.__h.some(Le), t.__h.some(Re), _e = 0), t.__h = [], t.__.some(function(e) {
		e.__N && (e.__ = e.__N), e.u = e.__N = void 0;
	})), ve = D;
}, O.diffed = function(e) {
	Ee && Ee(e);
	var t = e.__c;
	t && t.__H && (t.__H.__h.length && Ie(Se.push(t)), t.__H.__.some(function(e) {
		e.u && (e.__H = e.u);
	})), ve = D = null;
}, O.__c = function(e, t) {
	t.some(function(e) {
		try {
			e.__h.some(Le), e.__h = e.__h.filter(function(e) {
				return !e.__ || Re(e);
			});
		} catch (t) {
			e.__h = [function() {
				throw t;
			}];
		}
	}), De && De(e, t);
}, O.unmount = function(e) {
	Oe && Oe(e);
	var t, n, r = e.__c;
	r && r.__H && (r.__H.__.some(function(r) {
		try {
			if (r.__P && r.__c) {
				if (n === void 0) {
					for (n = e.__; n && (!n.__c || !n.__c.__P);) n = n.__;
					n &&= n.__c;
				}
				r.__P = n, Ie(Ce.push(r));
			} else Le(r);
		} catch (e) {
			t = e;
		}
	}), r.__H = void 0, t && O.__e(t, r.__v));
};
var Pe = typeof requestAnimationFrame == "function";
function Fe(e) {
	var t, n = function() {
		clearTimeout(r), Pe && cancelAnimationFrame(t), setTimeout(e);
	}, r = setTimeout(n, 35);
	Pe && (t = requestAnimationFrame(n));
}
function Ie(e) {
	e != 1 && ye == O.requestAnimationFrame || ((ye = O.requestAnimationFrame) || Fe)(Ne);
}
function Le(e) {
	var t = D, n = e.__c;
	typeof n == "function" && (e.__c = void 0, n()), D = t;
}
function Re(e) {
	var t = D;
	e.__c = e.__(), D = t;
}
function ze(e, t) {
	return !e || e.length != t.length || t.some(function(t, n) {
		return !be(t, e[n]);
	});
}
function Be(e, t) {
	return typeof t == "function" ? t(e) : t;
}
// node_modules/@preact/signals-core/dist/signals-core.module.js
var Ve = Symbol.for("preact-signals");
function He() {
	if (qe > 1) qe--;
	else {
		var e, t = !1;
		for ((function() {
			var e = Ze;
			for (Ze = void 0; e !== void 0;) {
				var t = e.S;
				if (t.v === e.v) for (var n = t.t; n !== void 0; n = n.x) n.i === e.i && (n.i = t.i);
				e = e.o;
			}
		})(); Ke !== void 0;) {
			var n = Ke;
			for (Ke = void 0, Je++; n !== void 0;) {
				var r = n.u;
				if (n.u = void 0, n.f &= -3, !(8 & n.f) && et(n)) try {
					n.c();
				} catch (n) {
					t ||= (e = n, !0);
				}
				n = r;
			}
		}
		if (Je = 0, qe--, t) throw e;
	}
}
function Ue(e) {
	if (qe > 0) return e();
	Xe = ++Ye, qe++;
	try {
		return e();
	} finally {
		He();
	}
}
var We, M = void 0;
function Ge(e) {
	var t = M, n = We;
	M = void 0, We = void 0;
	try {
		return e();
	} finally {
		M = t, We = n;
	}
}
var Ke = void 0, qe = 0, Je = 0, Ye = 0, Xe = 0, Ze = void 0, Qe = 0;
function $e(e) {
	if (M !== void 0) {
		var t = e.n;
		if (t === void 0 || t.t !== M) return t = {
			i: 0,
			S: e,
			p: M.s,
			n: void 0,
			t: M,
			e: void 0,
			x: void 0,
			r: t
		}, M.s !== void 0 && (M.s.n = t), M.s = t, e.n = t, 32 & M.f && e.S(t), t;
		if (t.i === -1) return t.i = 0, t.n !== void 0 && (t.n.p = t.p, t.p !== void 0 && (t.p.n = t.n), t.p = M.s, t.n = void 0, M.s.n = t, M.s = t), t;
	}
}
function N(e, t) {
	this.v = e, this.i = 0, this.n = void 0, this.t = void 0, this.l = 0, this.W = t?.watched, this.Z = t?.unwatched, this.name = t?.name;
}
N.prototype.brand = Ve, N.prototype.h = function() {
	return !0;
}, N.prototype.S = function(e) {
	var t = this, n = this.t;
	n !== e && e.e === void 0 && (e.x = n, this.t = e, n === void 0 ? Ge(function() {
		var e;
		(e = t.W) == null || e.call(t);
	}) : n.e = e);
}, N.prototype.U = function(e) {
	var t = this;
	if (this.t !== void 0) {
		var n = e.e, r = e.x;
		n !== void 0 && (n.x = r, e.e = void 0), r !== void 0 && (r.e = n, e.x = void 0), e === this.t && (this.t = r, r === void 0 && Ge(function() {
			var e;
			(e = t.Z) == null || e.call(t);
		}));
	}
}, N.prototype.subscribe = function(e) {
	var t = this;
	return ct(function() {
		var n = t.value;
		Ge(function() {
			return e(n);
		});
	}, { name: "sub" });
}, N.prototype.valueOf = function() {
	return this.value;
}, N.prototype.toString = function() {
	return this.value + "";
}, N.prototype.toJSON = function() {
	return this.value;
}, N.prototype.peek = function() {
	var e = this;
	return Ge(function() {
		return e.value;
	});
}, Object.defineProperty(N.prototype, "value", {
	get: function() {
		var e = $e(this);
		return e !== void 0 && (e.i = this.i), this.v;
	},
	set: function(e) {
		if (e !== this.v) {
			if (Je > 100) throw Error("Cycle detected");
			(function(e) {
				qe !== 0 && Je === 0 && e.l !== Xe && (e.l = Xe, Ze = {
					S: e,
					v: e.v,
					i: e.i,
					o: Ze
				});
			})(this), this.v = e, this.i++, Qe++, qe++;
			try {
				for (var t = this.t; t !== void 0; t = t.x) t.t.N();
			} finally {
				He();
			}
		}
	}
});
function P(e, t) {
	return new N(e, t);
}
function et(e) {
	for (var t = e.s; t !== void 0; t = t.n) if (t.S.i !== t.i || !t.S.h() || t.S.i !== t.i) return !0;
	return !1;
}
function tt(e) {
	for (var t = e.s; t !== void 0; t = t.n) {
		var n = t.S.n;
		if (n !== void 0 && (t.r = n), t.S.n = t, t.i = -1, t.n === void 0) {
			e.s = t;
			break;
		}
	}
}
function nt(e) {
	for (var t = e.s, n = void 0; t !== void 0;) {
		var r = t.p;
		t.i === -1 ? (t.S.U(t), r !== void 0 && (r.n = t.n), t.n !== void 0 && (t.n.p = r)) : n = t, t.S.n = t.r, t.r !== void 0 && (t.r = void 0), t = r;
	}
	e.s = n;
}
function rt(e, t) {
	N.call(this, void 0, t), this.x = e, this.s = void 0, this.g = Qe - 1, this.f = 4;
}
rt.prototype = new N(), rt.prototype.h = function() {
	if (this.f &= -3, 1 & this.f) return !1;
	if ((36 & this.f) == 32 || (this.f &= -5, this.g === Qe)) return !0;
	if (this.g = Qe, this.f |= 1, this.i > 0 && !et(this)) return this.f &= -2, !0;
	var e = M;
	try {
		tt(this), M = this;
		var t = this.x();
		(16 & this.f || this.v !== t || this.i === 0) && (this.v = t, this.f &= -17, this.i++);
	} catch (e) {
		this.v = e, this.f |= 16, this.i++;
	}
	return M = e, nt(this), this.f &= -2, !0;
}, rt.prototype.S = function(e) {
	if (this.t === void 0) {
		this.f |= 36;
		for (var t = this.s; t !== void 0; t = t.n) t.S.S(t);
	}
	N.prototype.S.call(this, e);
}, rt.prototype.U = function(e) {
	if (this.t !== void 0 && (N.prototype.U.call(this, e), this.t === void 0)) {
		this.f &= -33;
		for (var t = this.s; t !== void 0; t = t.n) t.S.U(t);
	}
}, rt.prototype.N = function() {
	if (!(2 & this.f)) {
		this.f |= 6;
		for (var e = this.t; e !== void 0; e = e.x) e.t.N();
	}
}, Object.defineProperty(rt.prototype, "value", { get: function() {
	if (1 & this.f) throw Error("Cycle detected");
	var e = $e(this);
	if (this.h(), e !== void 0 && (e.i = this.i), 16 & this.f) throw this.v;
	return this.v;
} });
function F(e, t) {
	return new rt(e, t);
}
function it(e) {
	var t = e.j;
	if (e.j = void 0, typeof t == "function") {
		qe++;
		var n = M;
		M = void 0;
		try {
			t();
		} catch (t) {
			throw e.f &= -2, e.f |= 8, at(e), t;
		} finally {
			M = n, He();
		}
	}
}
function at(e) {
	for (var t = e.s; t !== void 0; t = t.n) t.S.U(t);
	e.x = void 0, e.s = void 0, it(e);
}
function ot(e) {
	if (M !== this) throw Error("Out-of-order effect");
	nt(this), M = e, this.f &= -2;
	try {
		8 & this.f && at(this);
	} finally {
		He();
	}
}
function st(e, t) {
	this.x = e, this.j = void 0, this.s = void 0, this.u = void 0, this.f = 32, this.name = t?.name, We && We.push(this);
}
st.prototype.c = function() {
	var e = this.S();
	try {
		if (8 & this.f || this.x === void 0) return;
		var t = this.x();
		typeof t == "function" && (this.j = t);
	} finally {
		e();
	}
}, st.prototype.S = function() {
	if (1 & this.f) throw Error("Cycle detected");
	this.f |= 1, this.f &= -9, it(this), tt(this), qe++;
	var e = M;
	return M = this, ot.bind(this, e);
}, st.prototype.N = function() {
	2 & this.f || (this.f |= 2, this.u = Ke, Ke = this);
}, st.prototype.d = function() {
	this.f |= 8, 1 & this.f || at(this);
}, st.prototype.dispose = function() {
	this.d();
};
function ct(e, t) {
	var n = new st(e, t);
	try {
		n.c();
	} catch (e) {
		throw n.d(), e;
	}
	var r = n.d.bind(n);
	return r[Symbol.dispose] = r, r;
}
// node_modules/@preact/signals/dist/signals.module.js
var lt, ut, dt, ft = typeof window < "u" && !!window.__PREACT_SIGNALS_DEVTOOLS__, pt = [], mt = [];
ct(function() {
	lt = this.N;
})();
function ht(t, n) {
	e[t] = n.bind(null, e[t] || function() {});
}
function gt(e) {
	if (dt) {
		var t = dt;
		dt = void 0, t();
	}
	dt = e && e.S();
}
function _t(e) {
	var t = this, r = e.data, i = yt(r);
	i.name = "ReactiveDom", i.value = r;
	var a = j(function() {
		for (var e = t, r = t.__v; r = r.__;) if (r.__c) {
			r.__c.__$f |= 4;
			break;
		}
		var a = F(function() {
			var e = i.value.value;
			return e === 0 ? 0 : !0 === e ? "" : e || "";
		}), o = F(function() {
			return !Array.isArray(a.value) && !n(a.value);
		}), s = ct(function() {
			if (this.N = Et, o.value) {
				var t = a.value;
				e.__v && e.__v.__e && e.__v.__e.nodeType === 3 && (e.__v.__e.data = t);
			}
		}), c = t.__$u.d;
		return t.__$u.d = function() {
			s(), c.call(this);
		}, [o, a];
	}, []), o = a[0], s = a[1];
	return o.value ? s.peek() : s.value;
}
_t.displayName = "ReactiveTextNode", Object.defineProperties(N.prototype, {
	constructor: {
		configurable: !0,
		value: y(x, null).constructor
	},
	type: {
		configurable: !0,
		value: _t
	},
	props: {
		configurable: !0,
		get: function() {
			var e = this;
			return { data: { get value() {
				return e.value;
			} } };
		}
	},
	__b: {
		configurable: !0,
		value: 1
	}
}), ht("__b", function(e, t) {
	if (gt(), ut = void 0, typeof t.type == "string") {
		var n, r = t.props;
		for (var i in r) if (i !== "children") {
			var a = r[i];
			a instanceof N && (n || (t.__np = n = {}), n[i] = a, r[i] = a.peek());
		}
	}
	e(t);
}), ht("__r", function(e, t) {
	if (e(t), t.type !== x) {
		gt();
		var n, r = t.__c;
		r && (r.__$f &= -2, (n = r.__$u) === void 0 && (r.__$u = n = function(e, t) {
			var n;
			return ct(function() {
				n = this;
			}, { name: t }), n.c = e, n;
		}(function(e) {
			return function() {
				var t;
				ft && ((t = this.y) == null || t.call(this)), e.__$f |= 1, e.setState({});
			};
		}(r), typeof t.type == "function" ? t.type.displayName || t.type.name : ""))), ut = r, gt(n);
	}
}), ht("__e", function(e, t, n, r) {
	gt(), ut = void 0, e(t, n, r);
}), ht("diffed", function(e, t) {
	gt(), ut = void 0;
	var n;
	if (typeof t.type == "string" && (n = t.__e)) {
		var r = t.__np, i = t.props, a = n.U;
		if (a) for (var o in a) {
			var s = a[o];
			s === void 0 || r && o in r || (s.d(), a[o] = void 0);
		}
		if (r) for (var c in a || (a = {}, n.U = a), r) {
			var l = a[c], u = r[c];
			l === void 0 ? (l = vt(n, c, u, i), a[c] = l) : l.o(u, i);
		}
	}
	e(t);
});
function vt(e, t, n, r) {
	var i = t in e && e.ownerSVGElement === void 0, a = P(n);
	return {
		o: function(e, t) {
			a.value = e, r = t;
		},
		d: ct(function() {
			this.N = Et;
			var n = a.value.value;
			r[t] !== n && (r[t] = n, i ? e[t] = n : n != null && (!1 !== n || t[4] === "-") ? e.setAttribute(t, n) : e.removeAttribute(t));
		})
	};
}
ht("unmount", function(e, t) {
	if (typeof t.type == "string") {
		var n = t.__e;
		if (n) {
			var r = n.U;
			if (r) for (var i in n.U = void 0, r) {
				var a = r[i];
				a && a.d();
			}
		}
		var o = t.__np;
		if (o) {
			var s = t.props;
			for (var c in o) s[c] = o[c];
		}
		t.__np = void 0;
	} else {
		var l = t.__c;
		if (l) {
			l.__$f |= 8;
			var u = l.__$u;
			u && (l.__$u = void 0, u.d());
		}
	}
	e(t);
}), ht("__h", function(e, t, n, r) {
	r < 3 && (t.__$f |= 2), e(t, n, r);
}), S.prototype.shouldComponentUpdate = function(e, t) {
	if (this.__R) return !0;
	var n = this.__$u, r = n && n.s !== void 0;
	for (var i in t) return !0;
	if (this.__f || typeof this.u == "boolean" && !0 === this.u) {
		var a = 2 & this.__$f;
		if (!(r || a || 4 & this.__$f) || 1 & this.__$f) return !0;
	} else if (!(r || 4 & this.__$f) || 3 & this.__$f) return !0;
	for (var o in e) if (o !== "__source" && e[o] !== this.props[o]) return !0;
	for (var s in this.props) if (!(s in e)) return !0;
	return !1;
};
function yt(e, t) {
	return j(function() {
		return P(e, t);
	}, []);
}
function bt(e, t) {
	var n = Me(e);
	return n.current = e, ut.__$f |= 4, j(function() {
		return F(function() {
			return n.current();
		}, t);
	}, []);
}
var xt = typeof requestAnimationFrame > "u" ? setTimeout : function(e) {
	var t = function() {
		clearTimeout(n), cancelAnimationFrame(r), e();
	}, n = setTimeout(t, 35), r = requestAnimationFrame(t);
}, St = function(e) {
	queueMicrotask(function() {
		queueMicrotask(e);
	});
};
function Ct() {
	Ue(function() {
		for (var e; e = pt.shift();) lt.call(e);
	});
}
function wt() {
	pt.push(this) === 1 && (e.requestAnimationFrame || xt)(Ct);
}
function Tt() {
	Ue(function() {
		for (var e; e = mt.shift();) lt.call(e);
	});
}
function Et() {
	mt.push(this) === 1 && (e.requestAnimationFrame || St)(Tt);
}
function Dt(e, t) {
	var n = Me(e);
	n.current = e;
	var r = ut;
	A(function() {
		return ct(function() {
			if (this.N = wt, !(r && 8 & r.__$f)) return n.current();
		}, t);
	}, []);
}
// src/address.ts
var Ot = [
	"text",
	"heads",
	"links",
	"map",
	"pair",
	"edit",
	"inside",
	"learn"
], kt = [
	"linear",
	"log",
	"sinkless"
], At = {
	view: "text",
	model: "",
	text: "",
	place: "",
	head: 0,
	pins: [],
	words: !1,
	scale: null,
	changes: [],
	more: {}
}, jt = /* @__PURE__ */ new Set([
	"model",
	"text",
	"place",
	"head",
	"pin",
	"words",
	"scale",
	"edits"
]), Mt = (e) => `${"ab"[e.side]}${e.index}`;
function Nt(e) {
	return e.split(",").flatMap((e) => {
		let t = /^([ab])(\d{1,7})$/.exec(e);
		return t ? [{
			side: t[1] === "a" ? 0 : 1,
			index: Number(t[2])
		}] : [];
	});
}
function Pt(e) {
	try {
		let t = JSON.parse(e);
		return Array.isArray(t) ? t.flatMap((e) => {
			if (typeof e != "object" || !e) return [];
			let { off: t, ...n } = e;
			return typeof n.do == "string" ? [{
				record: n,
				on: t !== !0
			}] : [];
		}) : [];
	} catch {
		return [];
	}
}
function Ft(e) {
	let t = new URLSearchParams();
	e.model && t.set("model", e.model), e.text && t.set("text", e.text), e.place && t.set("place", e.place), e.head && t.set("head", String(e.head)), e.pins.length && t.set("pin", e.pins.map(Mt).join(",")), e.words && t.set("words", "1"), e.scale && t.set("scale", e.scale), e.changes.length && t.set("edits", JSON.stringify(e.changes.map(({ record: e, on: t }) => t ? e : {
		...e,
		off: !0
	})));
	for (let [n, r] of Object.entries(e.more)) r && t.set(n, r);
	let n = t.toString();
	return `#${e.view}${n ? `?${n}` : ""}`;
}
function It(e) {
	let [t = "", n = ""] = e.replace(/^#/, "").split(/\?(.*)/s), r = new URLSearchParams(n), i = r.get("scale"), a = Number(r.get("head") ?? 0);
	return {
		view: Ot.find((e) => e === t) ?? "text",
		model: r.get("model") ?? "",
		text: r.get("text") ?? "",
		place: r.get("place") ?? "",
		head: Number.isInteger(a) && a >= 0 ? a : 0,
		pins: Nt(r.get("pin") ?? ""),
		words: r.get("words") === "1",
		scale: kt.includes(i) ? i : null,
		changes: Pt(r.get("edits") ?? "[]"),
		more: Object.fromEntries([...r].filter(([e]) => !jt.has(e)))
	};
}
var I = P(At), Lt = !1;
function Rt(e) {
	return F(() => I.value[e]);
}
function L(e) {
	let t = {
		...I.peek(),
		...e
	};
	(t.view !== I.peek().view || t.more.topic !== I.peek().more.topic) && Lt && history.pushState(null, "", Ft(t)), I.value = t;
}
function R(e) {
	L({ more: {
		...I.peek().more,
		...e
	} });
}
var z = (e, t = "") => I.value.more[e] ?? t;
function zt(e, t, n, r) {
	let i = Number(z(e, String(t)));
	return Number.isFinite(i) ? Math.min(r, Math.max(n, i)) : t;
}
function Bt() {
	Lt = !0, I.value = It(location.hash);
	let e = 0;
	ct(() => {
		let t = Ft(I.value);
		clearTimeout(e), e = window.setTimeout(() => {
			location.hash !== t && history.replaceState(null, "", t);
		}, 120);
	});
	let t = () => {
		Ft(It(location.hash)) !== Ft(I.peek()) && (I.value = It(location.hash));
	};
	addEventListener("popstate", t), addEventListener("hashchange", t);
}
var Vt = () => location.href.replace(/#.*$/s, "") + Ft(I.value), B = {
	root: document.documentElement,
	alone: !0,
	wire: (e, t) => fetch(e, t)
}, Ht = class extends Error {
	status;
	after;
	constructor(e, t, n = null) {
		super(t), this.status = e, this.after = n;
	}
};
async function Ut(e) {
	if (e.ok) return e;
	let t = `the server answered ${e.status}`;
	try {
		let n = await e.json();
		typeof n == "object" && n && "error" in n && (t = String(n.error));
	} catch {}
	let n = Number(e.headers.get("Retry-After"));
	throw new Ht(e.status, t, Number.isFinite(n) && n > 0 ? n : null);
}
var Wt = (e, t) => new Promise((n, r) => {
	let i = setTimeout(n, 1e3 * e);
	t?.addEventListener("abort", () => {
		clearTimeout(i), r(t.reason);
	});
});
async function Gt(e, t = {}, n) {
	let r = new URLSearchParams(Object.entries(t).map(([e, t]) => [e, String(t)])), i = r.size ? `${e}?${r}` : e;
	for (let e = 0;; e++) try {
		return await Ut(await B.wire(i, { signal: n }));
	} catch (t) {
		if (!(t instanceof Ht && (t.status === 409 || t.status === 429) && e < 40)) throw t;
		await Wt(Math.min(2, t.after ?? .2 * (e + 1)), n);
	}
}
async function Kt(e, t = {}, n) {
	return (await Gt(e, t, n)).json();
}
function qt(e) {
	let t = new DataView(e);
	if (e.byteLength < 8 || t.getUint32(0, !1) !== 1380402225) throw Error("not a frame of numbers");
	let n = t.getUint32(4, !0);
	return {
		head: JSON.parse(new TextDecoder().decode(new Uint8Array(e, 8, n))),
		numbers: new Float32Array(e, 8 + n)
	};
}
var Jt = (e) => `api/runs/${encodeURIComponent(e)}`, Yt = {
	models: (e) => Kt("api/models", {}, e),
	run: (e, t) => Kt(Jt(e), {}, t),
	row: (e, t, n) => Kt(`${Jt(e)}/row`, t, n),
	pair: (e, t, n) => Kt(`${Jt(e)}/pair`, t, n),
	links: (e, t, n) => Kt(`${Jt(e)}/links`, t, n),
	async tile(e, t, n) {
		return qt(await (await Gt(`${Jt(e)}/tile`, t, n)).arrayBuffer());
	},
	async overview(e, t, n) {
		return qt(await (await Gt(`${Jt(e)}/overview`, t, n)).arrayBuffer());
	},
	inside: (e, t, n, r) => Kt(`${Jt(e)}/inside/${encodeURIComponent(t)}`, n === null ? {} : { other: n }, r),
	topics: (e) => Kt("api/learn", {}, e),
	async lesson(e, t, n) {
		return (await Ut(await B.wire(`api/learn/${encodeURIComponent(e)}`, Xt(t, n)))).json();
	}
};
function Xt(e, t) {
	return {
		method: "POST",
		headers: { "Content-Type": "application/json" },
		body: JSON.stringify(e),
		signal: t
	};
}
async function* Zt(e, t) {
	let n = await Ut(await B.wire("api/runs", Xt(e, t)));
	if (!n.body) throw Error("this browser cannot read a stream");
	let r = n.body.pipeThrough(new TextDecoderStream()).getReader(), i = "";
	for (;;) {
		let { value: e, done: t } = await r.read();
		i += e ?? "";
		let n = i.split("\n");
		i = n.pop() ?? "";
		for (let e of n) e.trim() && (yield JSON.parse(e));
		if (t) break;
	}
	i.trim() && (yield JSON.parse(i));
}
// src/store.ts
var Qt = P(null), $t = P(null), V = P(null), en = P(null), H = P(null), tn = P(null), U = P(null), nn = P(null), rn = P(null), an = P(null), on = Rt("text"), sn = Rt("model"), cn = Rt("changes"), ln = F(() => {
	let e = Qt.value, t = e?.models.find((e) => !e.problem)?.name;
	return sn.value || e?.first || t || "";
}), un = F(() => Qt.value?.models.find((e) => e.name === ln.value) ?? null), W = F(() => {
	let e = V.value?.places ?? [], t = I.value.place;
	return e.find((e) => e.name === t) ?? e.findLast((e) => e.rows !== e.columns) ?? e.at(-1) ?? null;
}), dn = F(() => Math.min(I.value.head, (W.value?.heads ?? 1) - 1)), G = Rt("pins"), fn = F(() => I.value.scale ?? ((W.value?.keys ?? 0) > 64 ? "log" : "linear")), pn = (e) => e !== null && !e.task && !e.problem, mn = (e, t) => e === null ? null : Math.min(e, t), hn = (e) => {
	let t = Number(z(e));
	return Number.isInteger(t) && t > 0 ? t : null;
}, gn = F(() => {
	let e = ln.value, t = un.value?.task ?? "", n = Qt.value?.bounds;
	if (!n || !e || !on.value || pn(un.value)) return null;
	let r = Number(z("temperature")), i = t === "generate" || t === "translate", a = i && r > 0 ? {
		temperature: Math.min(r, 100),
		top_k: 0,
		top_p: 1,
		seed: hn("seed") ?? 0
	} : null;
	return {
		model: e,
		text: on.value,
		second: z("second") || null,
		beam: i && !a ? Math.min(hn("beam") ?? (t === "translate" ? 4 : 1), n.beam) : 1,
		max_tokens: i ? mn(hn("tokens") ?? (t === "generate" ? 32 : null), n.written) : null,
		sample: a
	};
}), _n = F(() => JSON.stringify(gn.value)), vn = F(() => cn.value.filter((e) => e.on).map((e) => e.record)), yn = F(() => JSON.stringify(vn.value)), bn = Math.random().toString(36).slice(2), xn = null, Sn = "";
function Cn(e, t) {
	Ue(() => {
		V.value = e, t || (en.value = e);
	});
}
async function wn(e, t, n) {
	let r = null;
	for await (let i of Zt(e, n)) {
		if (n.aborted) return null;
		if (H.value = {
			progress: i,
			edited: t
		}, i.state === "failed") throw Error(i.error ?? "the run failed");
		if (i.state === "cancelled") return null;
		(i.state === "pooling" || i.state === "done") && r === null && (r = await Yt.run(i.run, n), n.aborted || Cn(r, t));
	}
	return r;
}
async function Tn() {
	let e = gn.peek();
	if (xn?.abort(), xn = null, !e) {
		Ue(() => {
			V.value = en.value = H.value = tn.value = null;
		});
		return;
	}
	let t = new AbortController();
	xn = t;
	let n = Sn === _n.peek() ? en.peek() : null;
	Ue(() => {
		H.value = {
			progress: null,
			edited: n !== null
		}, tn.value = null;
	});
	try {
		let r = n ?? await wn({
			...e,
			edits: [],
			base: null,
			page: bn
		}, !1, t.signal);
		if (!r || t.signal.aborted) return;
		Sn = _n.peek(), vn.peek().length === 0 ? Cn(r, !1) : await wn({
			...e,
			edits: vn.peek(),
			base: r.id,
			page: bn
		}, !0, t.signal);
	} catch (e) {
		if (t.signal.aborted) return;
		if (e instanceof Ht && (e.status === 410 || e.status === 404) && n) return Sn = "", en.value = null, Tn();
		tn.value = e instanceof Error ? e.message : String(e);
	} finally {
		xn === t && (H.value = null);
	}
}
var En = "";
function Dn(e) {
	let t = e instanceof Ht && (e.status === 410 || e.status === 404), n = V.peek()?.id ?? "";
	return !t || Hn.peek() || H.peek() !== null || En === n ? !1 : (En = n, Sn = "", Tn(), !0);
}
function On() {
	xn?.abort(), xn = null, H.value = null;
}
var kn = P([]), An = P([]), jn = F(() => kn.value.length > 0), Mn = F(() => An.value.length > 0);
function Nn(e) {
	Ue(() => {
		kn.value = [...kn.value.slice(-99), cn.value], An.value = [], L({ changes: e });
	});
}
function Pn() {
	let e = kn.value.at(-1);
	e && Ue(() => {
		kn.value = kn.value.slice(0, -1), An.value = [cn.value, ...An.value], L({ changes: e });
	});
}
function Fn() {
	let [e, ...t] = An.value;
	e && Ue(() => {
		An.value = t, kn.value = [...kn.value, cn.value], L({ changes: e });
	});
}
var In = (e) => Nn([...cn.value, {
	record: e,
	on: !0
}]), Ln = null;
function Rn(e, t) {
	let n = e[0];
	if (!n) return;
	if (t && Ln?.side === n.side) {
		let t = [Ln.index, ...e.map((e) => e.index)], r = Math.min(...t), i = Array.from({ length: Math.min(512, Math.max(...t) - r + 1) }, (e, t) => ({
			side: n.side,
			index: r + t
		}));
		L({ pins: [...G.value.filter((e) => e.side !== n.side), ...i] });
		return;
	}
	Ln = n;
	let r = (e, t) => e.some((e) => e.side === t.side && e.index === t.index), i = e.filter((e) => !r(G.value, e));
	L({ pins: i.length ? [...G.value, ...i] : G.value.filter((t) => !r(e, t)) });
}
var zn = (e) => G.value.some((t) => t.side === e.side && t.index === e.index), Bn = F(() => U.value ?? G.value.at(-1) ?? null);
async function Vn() {
	for (;;) {
		try {
			let e = await Yt.models();
			if (Ue(() => {
				Qt.value = e, $t.value = null;
			}), !I.peek().text && e.text && e.models.length && L({ text: e.text }), e.models.length && !e.models.some((e) => e.state === "loading" || pn(e))) return;
		} catch (e) {
			$t.value = e instanceof Error ? e.message : String(e);
		}
		await new Promise((e) => setTimeout(e, 600));
	}
}
var Hn = P(!1);
async function Un(e) {
	Hn.value = !0;
	try {
		Cn(await Yt.run(e), !1);
	} catch (e) {
		tn.value = e instanceof Error ? e.message : String(e);
	}
}
function Wn() {
	Vn();
	let e = 0;
	ct(() => {
		_n.value, yn.value, clearTimeout(e), e = window.setTimeout(() => void Tn(), 30);
	});
}
// node_modules/preact/jsx-runtime/dist/jsxRuntime.mjs
var Gn = Symbol.for("pv"), Kn = 0;
Array.isArray;
function K(t, n, r, i, a, o) {
	n ||= {};
	var s, c, l = n;
	if ("ref" in l && typeof t != "function") for (c in l = {}, n) c == "ref" ? s = n[c] : l[c] = n[c];
	var u = {
		type: t,
		props: l,
		key: r,
		ref: s,
		__k: null,
		__: null,
		__b: 0,
		__e: null,
		__c: null,
		constructor: Gn,
		__v: --Kn,
		__i: -1,
		__u: 0
	};
	return (a || o) && (u.__source = a, u.__self = o), e.vnode && e.vnode(u), u;
}
// src/parts/choice.tsx
function qn({ label: e, value: t, options: n, choose: r }) {
	return /* @__PURE__ */ K("div", {
		class: "choice",
		role: "group",
		"aria-label": e,
		children: n.map(([e, n]) => /* @__PURE__ */ K("button", {
			type: "button",
			"aria-pressed": e === t,
			"data-choice": e,
			onClick: () => r(e),
			children: n
		}, e))
	});
}
// src/parts/chooser.tsx
function Jn(e, t) {
	let n = V.value?.places ?? [], r = n.findIndex((e) => e.name === W.value?.name);
	if (r < 0) return;
	let i = n[Math.min(n.length - 1, Math.max(0, r + e))], a = i.heads;
	L({
		place: i.name,
		head: (Math.min(dn.value, a - 1) + t + a) % a
	});
}
function Yn({ heads: e = !0 }) {
	let t = W.value;
	return !V.value || !t ? null : /* @__PURE__ */ K(x, { children: [/* @__PURE__ */ K("label", { children: ["Layer", /* @__PURE__ */ K("select", {
		value: t.name,
		"aria-label": "Layer",
		onChange: (e) => L({
			place: e.currentTarget.value,
			head: 0
		}),
		children: V.value.places.map((e) => /* @__PURE__ */ K("option", {
			value: e.name,
			children: e.name
		}, e.name))
	})] }), e && t.heads > 1 && (t.heads <= 8 ? /* @__PURE__ */ K(qn, {
		label: "Head",
		value: String(dn.value),
		choose: (e) => L({
			head: Number(e),
			place: t.name
		}),
		options: Array.from({ length: t.heads }, (e, t) => [String(t), `head ${t}`])
	}) : /* @__PURE__ */ K("label", { children: ["Head", /* @__PURE__ */ K("select", {
		value: dn.value,
		"aria-label": "Head",
		onChange: (e) => L({
			head: Number(e.currentTarget.value),
			place: t.name
		}),
		children: Array.from({ length: t.heads }, (e, t) => /* @__PURE__ */ K("option", {
			value: t,
			children: t
		}, t))
	})] }))] });
}
// src/parts/help.tsx
var Xn = [
	[["/"], "type a text; Enter runs it, Shift+Enter breaks the line"],
	[[
		"1",
		"…",
		"8"
	], "the views, from Text to Learn"],
	[["[", "]"], "the layer before, the layer after"],
	[[",", "."], "the head before, the head after"],
	[["w"], "whole words, or the pieces that the model reads"],
	[["←", "→"], "on the tokens: the one before, the one after; Enter pins"],
	[["Esc"], "let go of all pinned tokens"],
	[[
		"+",
		"−",
		"0",
		"arrows"
	], "on the map: nearer, farther, all of it, move"],
	[["Ctrl+Z", "Ctrl+Shift+Z"], "take an edit back, do it again"]
];
function Zn({ open: e, close: t }) {
	let n = Me(null);
	return A(() => {
		e ? n.current?.showModal() : n.current?.close();
	}, [e]), /* @__PURE__ */ K("dialog", {
		ref: n,
		onClose: t,
		"aria-label": "Keys",
		children: /* @__PURE__ */ K("div", {
			class: "stack",
			children: [
				/* @__PURE__ */ K("h2", { children: "Keys" }),
				/* @__PURE__ */ K("table", { children: /* @__PURE__ */ K("tbody", { children: Xn.map(([e, t]) => /* @__PURE__ */ K("tr", { children: [/* @__PURE__ */ K("td", { children: e.map((e) => /* @__PURE__ */ K("kbd", { children: e }, e)) }), /* @__PURE__ */ K("td", { children: t })] }, t)) }) }),
				/* @__PURE__ */ K("div", { children: /* @__PURE__ */ K("button", {
					type: "button",
					class: "plain",
					onClick: t,
					children: "Close"
				}) })
			]
		})
	});
}
// src/scene/signs.ts
var Qn = {
	" ": "·",
	"\n": "⏎",
	"	": "⇥",
	"\r": "␍",
	"\xA0": "⍽"
}, $n = /[\p{Cc}\p{Cf}\p{Cn}\p{Co}\p{Cs}\p{Zl}\p{Zp}]/u, er = "‍";
function tr(e) {
	let t = Qn[e];
	if (t) return t;
	let n = e.codePointAt(0) ?? 0;
	return n < 32 ? String.fromCodePoint(9216 + n) : n === 127 ? "␡" : e !== er && $n.test(e) ? `\\u${n.toString(16).padStart(4, "0")}` : e;
}
function q(e) {
	return /\S \S/.test(e) ? J(e) : [...e].map(tr).join("");
}
function J(e) {
	return [...e].map((e) => e === " " ? " " : tr(e)).join("");
}
function Y(e, t = 2) {
	if (!Number.isFinite(e)) return Number.isNaN(e) ? "–" : e > 0 ? "∞" : "−∞";
	if (e === 0) return "0";
	let n = e.toFixed(t);
	return Math.abs(e) < 1 ? n.replace(/^(-?)0\./, "$1.") : n;
}
var nr = (e) => String(Number.isFinite(e) ? Number(e.toPrecision(7)) : e), rr = (e) => e.toLocaleString("en-US");
// src/sides.ts
function ir(e) {
	let t = e.texts.map((t, n) => ({
		text: t,
		special: e.special[n] ?? !1,
		word: e.words[n] ?? null,
		written: n >= e.given,
		score: e.scores[n] ?? null
	})), n = e.next[e.next.length - 1];
	if (n != null) {
		let e = /^<.*>$|^\[.*\]$/.test(n);
		t.push({
			text: n,
			special: e,
			word: null,
			written: !0,
			score: null
		});
	}
	return t;
}
var ar = (e, t) => Math.max(0, e.sides.findIndex((e) => e.name === t)), or = (e) => e.rows === "target" && e.columns !== e.rows;
function sr(e, t, n) {
	return {
		side: ar(e, t.rows),
		index: or(t) ? n + 1 : n
	};
}
function cr(e, t, n) {
	return {
		side: ar(e, t.columns),
		index: n
	};
}
function lr(e, t, n) {
	if (n.side !== ar(e, t.rows)) return null;
	let r = or(t) ? n.index - 1 : n.index;
	return r >= 0 && r < t.queries ? r : null;
}
function ur(e, t, n) {
	return n.side === ar(e, t.columns) && n.index < t.keys ? n.index : null;
}
function dr(e, t, n) {
	let r = e.sides[ar(e, t.rows)];
	return (or(t) ? r?.next[n] : r?.texts[n]) ?? "";
}
function X(e, t, n) {
	return e.sides[ar(e, t.columns)]?.texts[n] ?? "";
}
function fr(e, t) {
	let n = e.sides[ar(e, t.columns)], r = /* @__PURE__ */ new Set([0]);
	return n?.special.forEach((e, t) => e && r.add(t)), r;
}
var pr = (e, t) => e !== null && t !== null && e.side === t.side && e.index === t.index;
// src/parts/states.tsx
function mr({ children: e }) {
	return /* @__PURE__ */ K("div", {
		class: "state",
		"data-state": "empty",
		children: e
	});
}
function hr({ line: e }) {
	return /* @__PURE__ */ K("div", {
		class: "state bad",
		role: "alert",
		"data-state": "failed",
		children: e
	});
}
function gr({ line: e, fraction: t }) {
	return /* @__PURE__ */ K("div", {
		class: "state",
		role: "status",
		"data-state": "waiting",
		children: [/* @__PURE__ */ K("span", { children: e }), t ? /* @__PURE__ */ K("progress", {
			value: t,
			"aria-label": e
		}) : /* @__PURE__ */ K("progress", { "aria-label": e })]
	});
}
var _r = {
	waiting: "Waiting for others to finish",
	loading: "Loading the model",
	reading: "Reading the text",
	writing: "Writing",
	looking: "Keeping queries and keys",
	pooling: "Drawing the overview",
	done: "Done"
};
function vr() {
	let e = H.value;
	if (!e) return null;
	let { progress: t, edited: n } = e, r = t ? _r[t.state] ?? t.state : "Asking the server", i = un.value?.parameters ?? 0;
	return {
		line: `${r}${t?.state === "loading" && i ? ` ${ln.value}: ${rr(i)} parameters` : ""}${n ? ", with the edits" : ""} …`,
		fraction: t?.fraction ?? null
	};
}
function yr({ children: e }) {
	if ($t.value && !Qt.value) return /* @__PURE__ */ K(hr, { line: `The server cannot be reached: ${$t.value}` });
	if (!V.value && tn.value) return /* @__PURE__ */ K(hr, { line: tn.value });
	let t = vr();
	return !V.value && t ? /* @__PURE__ */ K(gr, { ...t }) : Qt.value?.models.length ? un.value?.problem ? /* @__PURE__ */ K(hr, { line: `${ln.value}: ${un.value.problem}` }) : I.value.text && un.value?.state === "loading" ? /* @__PURE__ */ K(gr, {
		line: `Loading ${ln.value} …`,
		fraction: un.value.fraction
	}) : /* @__PURE__ */ K(mr, { children: e }) : /* @__PURE__ */ K(gr, { line: "Asking which models there are …" });
}
// src/parts/said.tsx
var br = P(null);
function xr() {
	let e = null, t = 0;
	ct(() => {
		let n = V.value, r = W.value, i = n && r ? G.value.findLast((e) => lr(n, r, e) !== null) : void 0, a = U.value ?? i ?? Bn.value, o = dn.value;
		if (e?.abort(), clearTimeout(t), !n || !r || !a) {
			br.value = nn.value = null;
			return;
		}
		let s = `${r.name} · head ${o}`, c = lr(n, r, a);
		if (c === null) {
			let e = ur(n, r, a);
			br.value = e === null ? null : {
				where: s,
				who: `“${q(X(n, r, e))}”`,
				looks: "is looked at; choose a token of the other line to see what it looks at"
			};
			return;
		}
		let l = e = new AbortController(), u = async () => {
			try {
				let e = await Yt.row(n.id, {
					place: r.name,
					head: o,
					row: c,
					top: 4
				}, l.signal);
				nn.value = e;
				let t = e.top.map((e) => `${q(X(n, r, e.column))} ${Y(e.weight)}`), i = t.length ? `looks at: ${t.join(", ")}` : "may look at nothing";
				br.value = {
					where: s,
					who: `“${q(dr(n, r, c))}”`,
					looks: i
				};
			} catch (e) {
				l.signal.aborted || Dn(e);
			}
		};
		t = window.setTimeout(() => void u(), 40);
	});
}
function Sr() {
	let e = vr(), t = br.value, n;
	return n = rn.value ? rn.value : t ? /* @__PURE__ */ K(x, { children: [
		t.where,
		" · ",
		/* @__PURE__ */ K("b", {
			class: "mono",
			children: t.who
		}),
		" ",
		t.looks
	] }) : e ? e.line : V.value ? /* @__PURE__ */ K("span", {
		class: "faint",
		children: "Point at a token to read what it looks at; click to keep it."
	}) : /* @__PURE__ */ K("span", {
		class: "faint",
		children: "Type a text and run it."
	}), /* @__PURE__ */ K("div", {
		class: "said",
		role: "status",
		"aria-live": "polite",
		"data-busy": H.value !== null,
		children: n
	});
}
// src/scene/scene.ts
var Cr = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', sans-serif", wr = "ui-monospace, 'SF Mono', Menlo, Consolas, 'DejaVu Sans Mono', monospace";
function Tr(e) {
	return `${e.bold ? "600 " : ""}${e.size ?? 12}px ${e.mono ? wr : Cr}`;
}
var Er = null, Dr = /* @__PURE__ */ new Map();
function Or(e, t = 13, n = !0) {
	let r = `${t}${n ? "m" : "s"}${e}`, i = Dr.get(r);
	if (i !== void 0) return i;
	if (Er ??= document.createElement("canvas").getContext("2d"), !Er) return e.length * t * .6;
	Er.font = Tr({
		size: t,
		mono: n
	});
	let a = Er.measureText(e).width;
	return Dr.size > 5e4 && Dr.clear(), Dr.set(r, a), a;
}
function kr(e, t, n = 13, r = !0) {
	if (Or(e, n, r) <= t) return e;
	let i = [...e], a = i.length;
	for (; a > 0 && Or(i.slice(0, a).join("") + "…", n, r) > t;) a--;
	return i.slice(0, a).join("") + "…";
}
// src/views/edit/records.ts
var Ar = (e) => Array.isArray(e) ? e.filter((e) => typeof e == "number") : [];
function jr(e, t) {
	let n = t?.places.find((t) => t.name === e.place) ?? t?.places.find((t) => Mr(String(e.place ?? "*"), t.name));
	return Ar(e.places).map((e) => t && n ? `“${q(X(t, n, e))}”` : `token ${e}`).join(", ");
}
function Mr(e, t) {
	let n = e.split("*").map((e) => e.replace(/[.+?^${}()|[\]\\]/g, "\\$&"));
	return RegExp(`^${n.join(".*")}$`).test(t);
}
function Nr(e) {
	let t = Ar(e.heads);
	return t.length === 1 ? `head ${t[0]}` : `heads ${t.join(", ")}`;
}
function Pr(e, t) {
	let n = String(e.place ?? "*");
	switch (e.do) {
		case "scale": return Number(e.factor) === 0 ? `${n} ${Nr(e)} off` : `${n} ${Nr(e)} × ${e.factor}`;
		case "temper": return `${n} ${Nr(e)} at temperature ${e.temperature}`;
		case "hide": return `${jr(e, t)} hidden in ${n}`;
		case "set": {
			let r = Ar(e.rows), i = t?.places.find((e) => e.name === n), a = r[0] !== void 0 && i && t ? `“${q(dr(t, i, r[0]))}”` : "all rows";
			return `${n} ${Nr(e)} ${a} drawn by hand`;
		}
		default: return `${e.do} in ${n}`;
	}
}
// src/parts/spine.tsx
var Fr = 14, Ir = 6, Lr = 1, Rr = Rt("words");
function zr(e, t = 240) {
	let n = 0;
	return e.map((r, i) => {
		let a = e[i - 1], o = i > 0 && r.word !== null && r.word === a?.word, s = r.text.startsWith(" ") && r.text.length > 1 && !o ? r.text.slice(1) : r.text, c = q(s === "" ? r.text : s), l = Math.min(t, Math.max(14, Or(c, Fr) + 12));
		n += i === 0 ? 0 : o ? Lr : Ir;
		let u = {
			left: n,
			width: l,
			text: c,
			joined: o
		};
		return n += l, u;
	});
}
function Br(e, t) {
	let n = 0, r = e.length;
	for (; n < r;) {
		let i = n + r >> 1;
		e[i].left + e[i].width < t ? n = i + 1 : r = i;
	}
	return n;
}
function Vr({ side: e, name: t, tokens: n }) {
	let r = j(() => zr(n), [n]), i = Me(null), a = yt(0), o = yt(1600), s = r.at(-1), c = s ? s.left + s.width : 0, l = bt(() => [a.value, o.value]);
	A(() => {
		let e = new ResizeObserver(() => o.value = i.current?.clientWidth ?? 1600);
		return i.current && e.observe(i.current), () => e.disconnect();
	}, []);
	let u = Bn.value;
	A(() => {
		let t = u?.side === e && !i.current?.matches(":hover") ? r[u.index] : void 0, n = i.current;
		t && n && (t.left < n.scrollLeft || t.left + t.width > n.scrollLeft + n.clientWidth) && (n.scrollLeft = Math.max(0, t.left - n.clientWidth / 2));
	}, [u, r]);
	let [d, f] = l.value, p = Math.max(0, Br(r, d) - 4), m = Math.min(r.length, Br(r, d + f) + 5), h = (t) => {
		let r = n[t]?.word;
		return !Rr.value || r == null ? [{
			side: e,
			index: t
		}] : n.flatMap((t, n) => t.word === r ? [{
			side: e,
			index: n
		}] : []);
	}, g = u?.side === e ? u.index : p, _ = (t, r) => {
		let a = {
			ArrowLeft: r - 1,
			ArrowRight: r + 1,
			Home: 0,
			End: n.length - 1
		}[t.key];
		a === void 0 || a < 0 || a >= n.length || (t.preventDefault(), U.value = {
			side: e,
			index: a
		}, requestAnimationFrame(() => i.current?.querySelector(`[data-token="${a}"]`)?.focus()));
	};
	return /* @__PURE__ */ K("div", {
		class: "line",
		children: [
			/* @__PURE__ */ K("span", {
				class: "side",
				children: t
			}),
			/* @__PURE__ */ K("div", {
				class: "run",
				ref: i,
				onScroll: () => a.value = i.current?.scrollLeft ?? 0,
				children: /* @__PURE__ */ K("div", {
					class: "track",
					role: "listbox",
					"aria-multiselectable": "true",
					"aria-label": `tokens: ${t}`,
					style: { width: `${c}px` },
					children: r.slice(p, m).map((t, r) => {
						let i = p + r, a = n[i], o = {
							side: e,
							index: i
						}, s = u !== null && h(i).some((e) => pr(e, u)), c = G.value.some((e) => pr(e, o));
						return /* @__PURE__ */ K("button", {
							type: "button",
							role: "option",
							class: [
								"token",
								a.special && "special",
								a.written && "written",
								t.joined && "joined",
								Rr.value && "whole",
								s && "lit",
								c && "held"
							].filter(Boolean).join(" "),
							"aria-selected": c,
							"data-token": i,
							tabIndex: i === g || g < p && i === p ? 0 : -1,
							title: a.score === null ? `${i}` : `${i} · log-probability ${Y(a.score)}`,
							style: {
								left: `${t.left}px`,
								width: `${t.width}px`
							},
							onPointerEnter: () => U.value = o,
							onPointerLeave: () => U.value = null,
							onFocus: () => U.value = o,
							onBlur: () => U.value = null,
							onClick: (e) => Rn(h(i), e.shiftKey),
							onKeyDown: (e) => _(e, i),
							children: t.text
						}, i);
					})
				})
			}),
			n.length > 60 && /* @__PURE__ */ K("span", {
				class: "side count",
				children: [n.length.toLocaleString("en-US"), " tokens"]
			})
		]
	});
}
function Hr() {
	let e = H.value?.progress?.tokens ?? [];
	return e.length ? /* @__PURE__ */ K("div", {
		class: "line",
		"aria-live": "polite",
		children: [/* @__PURE__ */ K("span", {
			class: "side",
			children: "writing"
		}), /* @__PURE__ */ K("div", {
			class: "run",
			children: /* @__PURE__ */ K("span", {
				class: "mono",
				children: e.slice(-60).map(q).join(" ")
			})
		})]
	}) : null;
}
function Ur() {
	let e = V.value, t = j(() => e?.sides.map((e) => ({
		name: e.name,
		tokens: ir(e)
	})) ?? [], [e]);
	if (!e && !H.value) return /* @__PURE__ */ K("div", { class: "spine none" });
	let n = e?.answer.score, r = H.value !== null;
	return /* @__PURE__ */ K("div", {
		class: r ? "spine busy" : "spine",
		children: [
			t.map((t, n) => /* @__PURE__ */ K(Vr, {
				side: n,
				name: t.name,
				tokens: t.tokens
			}, `${e?.id}${n}`)),
			r && /* @__PURE__ */ K(Hr, {}),
			/* @__PURE__ */ K("div", {
				class: "row notes",
				children: [n != null && /* @__PURE__ */ K("span", {
					class: "faint",
					children: ["score ", Y(n)]
				}), cn.value.map((t, n) => /* @__PURE__ */ K("button", {
					type: "button",
					class: t.on ? "edit-chip" : "edit-chip off",
					title: "Take this edit back",
					onClick: () => Nn(cn.value.filter((e, t) => t !== n)),
					children: [
						t.on ? "edited" : "off",
						": ",
						Pr(t.record, e),
						" ✕"
					]
				}, n))]
			})
		]
	});
}
// src/examples.ts
var Wr = {
	translate: () => ({
		text: "Where is the station?",
		second: ""
	}),
	generate: () => ({
		text: "To be, or not to be",
		second: ""
	}),
	classify: () => ({
		text: "A warm, funny film that I would see again.",
		second: ""
	}),
	embed: () => ({
		text: "The animal didn't cross the road because it was too tired.",
		second: ""
	}),
	fill: (e) => ({
		text: `The capital of France is ${e}.`,
		second: ""
	}),
	answer: () => ({
		text: "Mary got the milk there.\nJohn moved to the bedroom.\nMary travelled to the hallway.",
		second: "Where is the milk?"
	})
};
function Gr(e) {
	let t = /roberta|bart|mpnet|longformer/i.test(e?.architecture ?? "") ? "<mask>" : "[MASK]";
	return Wr[e?.task ?? ""]?.(t) ?? null;
}
// src/theme.ts
var Kr = "regard.theme", qr = matchMedia("(prefers-color-scheme: dark)"), Jr = P(qr.matches ? "dark" : "light");
qr.addEventListener("change", () => Jr.value = qr.matches ? "dark" : "light");
function Yr() {
	try {
		let e = localStorage.getItem(Kr);
		return e === "light" || e === "dark" ? e : null;
	} catch {
		return null;
	}
}
var Xr = P(Yr()), Zr = F(() => Xr.value ?? Jr.value);
function Qr() {
	Xr.value = Zr.value === "dark" ? "light" : "dark";
	try {
		localStorage.setItem(Kr, Xr.value);
	} catch {}
}
function $r() {
	ct(() => {
		B.root.dataset.theme = Zr.value;
	});
}
var Z = F(() => {
	let e = Zr.value;
	B.root.dataset.theme = e;
	let t = getComputedStyle(B.root), n = (e) => t.getPropertyValue(`--${e}`).trim();
	return {
		theme: e,
		paper: n("paper"),
		ink: n("ink"),
		faint: n("faint"),
		line: n("line"),
		accent: n("accent"),
		soft: n("soft"),
		warn: n("warn")
	};
}), ei = matchMedia("(prefers-reduced-motion: reduce)"), ti = (e) => ei.matches ? 0 : e, ni = "http://www.w3.org/2000/svg";
function ri(e, t, n) {
	let r = document.createElementNS(ni, e);
	for (let [e, n] of Object.entries(t)) n !== void 0 && r.setAttribute(e, String(n));
	return n !== void 0 && (r.textContent = n), r;
}
function ii(e) {
	if (e instanceof HTMLCanvasElement) return e.toDataURL();
	let t = document.createElement("canvas");
	return t.width = e.width, t.height = e.height, t.getContext("2d")?.drawImage(e, 0, 0), t.toDataURL();
}
function ai(e) {
	let { opacity: t } = e;
	switch (e.kind) {
		case "box": {
			let { x: n, y: r, width: i, height: a, round: o } = e;
			return ri("rect", {
				x: n,
				y: r,
				width: Math.max(0, i),
				height: Math.max(0, a),
				rx: o,
				opacity: t,
				fill: e.fill ?? "none",
				stroke: e.stroke,
				"stroke-width": e.stroke && e.thickness
			});
		}
		case "stroke": return ri("path", {
			d: e.d,
			fill: e.fill ?? "none",
			stroke: e.stroke,
			"stroke-width": e.thickness,
			"stroke-linecap": "round",
			"stroke-dasharray": e.dashes,
			opacity: t
		});
		case "label": {
			let { x: n, y: r, turn: i } = e, a = ri("text", {
				x: n,
				y: r,
				fill: e.fill,
				opacity: t,
				"font-size": e.size ?? 12,
				"font-family": e.mono ? wr : Cr,
				"font-weight": e.bold ? 600 : void 0,
				"text-anchor": e.anchor,
				transform: i ? `rotate(${i} ${n} ${r})` : void 0
			}, e.text);
			return a.setAttributeNS("http://www.w3.org/XML/1998/namespace", "xml:space", "preserve"), a;
		}
		case "raster": {
			let { x: n, y: r, width: i, height: a } = e;
			return ri("image", {
				x: n,
				y: r,
				width: i,
				height: a,
				opacity: t,
				href: ii(e.pixels),
				preserveAspectRatio: "none",
				"image-rendering": e.smooth ? void 0 : "pixelated"
			});
		}
	}
}
function oi(e, t, n) {
	let { width: r, height: i } = e, a = ri("svg", {
		width: r,
		height: i,
		viewBox: `0 0 ${r} ${i}`,
		role: "img"
	});
	a.append(ri("title", {}, t), ri("rect", {
		width: r,
		height: i,
		fill: n
	}));
	for (let t of e.marks) {
		let e = ai(t);
		t.title && e.append(ri("title", {}, t.title)), a.append(e);
	}
	return a;
}
function si(e, t, n) {
	return new XMLSerializer().serializeToString(oi(e, t, n)) + "\n";
}
// src/scene/offline.ts
var ci = 5e3, li = "\n:root { color-scheme: light dark }\nbody { font: 15px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 70rem; padding: 0 1rem }\nfigure { margin: 0 0 1.5rem; overflow: auto }\nsvg { max-width: 100%; height: auto }\ntable { border-collapse: collapse; font-size: 13px }\nth, td { padding: .2rem .7rem; text-align: left; border-bottom: 1px solid #8885; white-space: pre }\ntd.number { text-align: right; font-variant-numeric: tabular-nums }\npre { padding: 1rem; overflow: auto; background: #8881 }\n";
function ui(e, t) {
	let n = document.implementation.createHTMLDocument(e.title), r = (e, t) => {
		let r = n.createElement(e);
		return t !== void 0 && (r.textContent = t), r;
	}, i = r("meta");
	i.setAttribute("charset", "utf-8"), n.head.prepend(i);
	let a = r("figure");
	a.append(n.importNode(oi(e.scene, e.title, t), !0));
	let o = r("details");
	return o.append(r("summary", `The numbers: ${e.table.caption}`), di(e.table, r)), n.body.append(r("h1", e.title), a, o, r("h2", "The same in Python"), r("pre", e.python)), `<!doctype html>\n${n.documentElement.outerHTML.replace("</head>", () => `<style>${li}</style></head>`)}\n`;
}
function di(e, t) {
	let n = t("table"), r = (e, n) => {
		let r = t("tr");
		for (let i of e) {
			let e = t(n, String(i));
			typeof i == "number" && (e.className = "number"), r.append(e);
		}
		return r;
	}, i = t("thead");
	i.append(r(e.columns, "th"));
	let a = t("tbody");
	for (let t of e.rows.slice(0, ci)) a.append(r(t, "td"));
	return n.append(i, a), n;
}
// src/scene/paint.ts
function fi(e, t, n, r) {
	e.setTransform(n, 0, 0, n, 0, 0), e.clearRect(0, 0, t.width, t.height), r && (e.fillStyle = r, e.fillRect(0, 0, t.width, t.height));
	for (let n of t.marks) e.save(), e.globalAlpha = n.opacity ?? 1, pi(e, n), e.restore();
}
function pi(e, t) {
	switch (t.kind) {
		case "box":
			e.beginPath(), e.roundRect(t.x, t.y, Math.max(0, t.width), Math.max(0, t.height), t.round ?? 0), t.fill && (e.fillStyle = t.fill, e.fill()), t.stroke && (e.strokeStyle = t.stroke, e.lineWidth = t.thickness ?? 1, e.stroke());
			return;
		case "stroke": {
			let n = new Path2D(t.d);
			t.fill && (e.fillStyle = t.fill, e.fill(n)), e.strokeStyle = t.stroke, e.lineWidth = t.thickness ?? 1, e.lineCap = "round", t.dashes && e.setLineDash(t.dashes.split(" ").map(Number)), e.stroke(n);
			return;
		}
		case "label":
			e.font = Tr(t), e.fillStyle = t.fill, e.textAlign = t.anchor === "middle" ? "center" : t.anchor ?? "start", e.translate(t.x, t.y), t.turn && e.rotate(t.turn * Math.PI / 180), e.fillText(t.text, 0, 0);
			return;
		case "raster": e.imageSmoothingEnabled = t.smooth ?? !1, e.drawImage(t.pixels, t.x, t.y, t.width, t.height);
	}
}
async function mi(e, t, n = 2) {
	let r = document.createElement("canvas");
	r.width = Math.ceil(e.width * n), r.height = Math.ceil(e.height * n);
	let i = r.getContext("2d");
	if (!i) throw Error("this browser gives no canvas to paint on");
	return fi(i, e, n, t), new Promise((e, t) => r.toBlob((n) => n ? e(n) : t(/* @__PURE__ */ Error("the picture is too large for a PNG")), "image/png"));
}
// src/scene/table.ts
function hi(e) {
	if (typeof e == "number") return String(e);
	let t = /^[=+\-@\t\r]/.test(e) ? `'${e}` : e;
	return /[",\n\r]/.test(t) ? `"${t.replaceAll("\"", "\"\"")}"` : t;
}
function gi(e) {
	return [e.columns, ...e.rows].map((e) => e.map(hi).join(",")).join("\r\n") + "\r\n";
}
function _i(e) {
	return JSON.stringify(e, null, 1) + "\n";
}
// src/parts/icon.tsx
var vi = {
	theme: "M8 2a6 6 0 1 0 0 12A6 6 0 0 0 8 2ZM8 2v12a6 6 0 0 0 0-12Z",
	save: "M8 2v8M4.5 6.8 8 10.3l3.5-3.5M2.5 13.5h11",
	link: "M6.5 9.5a2.8 2.8 0 0 0 4 0l2.2-2.2a2.8 2.8 0 0 0-4-4L7.9 4M9.5 6.5a2.8 2.8 0 0 0-4 0L3.300 8.700a2.8 2.8 0 0 0 4 4L8.100 12",
	keys: "M6 6.2a2 2 0 1 1 3 1.700c-.7.4-1 .8-1 1.600M8 12v.1",
	close: "M4 4l8 8M12 4l-8 8"
};
function yi({ name: e }) {
	return /* @__PURE__ */ K("svg", {
		class: `sign ${e}`,
		width: "18",
		height: "18",
		viewBox: "0 0 16 16",
		"aria-hidden": "true",
		children: /* @__PURE__ */ K("path", {
			d: vi[e],
			fill: e === "theme" ? "currentColor" : "none",
			"fill-rule": "evenodd",
			stroke: "currentColor",
			"stroke-width": "1.4",
			"stroke-linecap": "round",
			"stroke-linejoin": "round"
		})
	});
}
// src/parts/numbers.tsx
var bi = 200;
function xi({ table: e }) {
	let [t, n] = k(!1), r = e.rows.slice(0, bi), i = e.rows.length - r.length;
	return /* @__PURE__ */ K("div", {
		class: "numbers",
		children: [/* @__PURE__ */ K("button", {
			type: "button",
			class: "quiet",
			"aria-expanded": t,
			onClick: () => n(!t),
			children: t ? "Hide the table" : "As a table"
		}), /* @__PURE__ */ K("div", {
			class: t ? "scroll" : "unseen",
			children: /* @__PURE__ */ K("table", { children: [
				/* @__PURE__ */ K("caption", { children: [e.caption, i > 0 && ` (the first ${bi} of ${e.rows.length} rows)`] }),
				/* @__PURE__ */ K("thead", { children: /* @__PURE__ */ K("tr", { children: e.columns.map((e, t) => /* @__PURE__ */ K("th", {
					scope: "col",
					children: e
				}, t)) }) }),
				/* @__PURE__ */ K("tbody", { children: r.map((e, t) => /* @__PURE__ */ K("tr", { children: e.map((e, t) => typeof e == "number" ? /* @__PURE__ */ K("td", {
					class: "number",
					children: nr(e)
				}, t) : /* @__PURE__ */ K("td", { children: e }, t)) }, t)) })
			] })
		})]
	});
}
// src/parts/figure.tsx
var Si = P(null);
function Ci(e) {
	an.value = e, setTimeout(() => an.value === e && (an.value = null), 2200);
}
function wi(e, t, n) {
	let r = URL.createObjectURL(new Blob([e], { type: n })), i = document.createElement("a");
	i.href = r, i.download = t, i.click(), setTimeout(() => URL.revokeObjectURL(r), 1e4);
}
async function Ti(e, t) {
	try {
		await navigator.clipboard.writeText(e), Ci(`${t} copied`);
	} catch {
		Ci("The browser did not allow the clipboard");
	}
}
var Ei = (e) => e.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, "-").replace(/^-|-$/g, "").slice(0, 60) || "picture", Di = [
	{
		name: "link",
		shown: "Copy a link to this",
		take: () => Ti(Vt(), "Link")
	},
	{
		name: "svg",
		shown: "Save as SVG",
		take: (e) => wi(si(e.scene, e.title, Z.value.paper), `${Ei(e.title)}.svg`, "image/svg+xml")
	},
	{
		name: "png",
		shown: "Save as PNG",
		take: async (e) => wi(await mi(e.scene, Z.value.paper), `${Ei(e.title)}.png`, "image/png")
	},
	{
		name: "html",
		shown: "Save as one HTML page",
		take: (e) => wi(ui(e, Z.value.paper), `${Ei(e.title)}.html`, "text/html")
	},
	{
		name: "csv",
		shown: "Save the data as CSV",
		take: (e) => wi(gi(e.table), `${Ei(e.title)}.csv`, "text/csv")
	},
	{
		name: "json",
		shown: "Save the data as JSON",
		take: (e) => wi(_i(e.table), `${Ei(e.title)}.json`, "application/json")
	},
	{
		name: "python",
		shown: "Copy the Python lines",
		take: (e) => Ti(e.python, "Python")
	}
];
function Oi({ make: e, label: t, children: n }) {
	let [r, i] = k(!1), a = Me(null);
	A(() => {
		if (!r) return;
		let e = (e) => {
			(e instanceof KeyboardEvent ? e.key === "Escape" : !a.current?.contains(e.target)) && i(!1);
		};
		return addEventListener("pointerdown", e), addEventListener("keydown", e), () => {
			removeEventListener("pointerdown", e), removeEventListener("keydown", e);
		};
	}, [r]);
	let o = async (t) => {
		i(!1);
		let n = e();
		if (!n) return Ci("There is no picture to save yet");
		try {
			await t.take(n);
		} catch (e) {
			Ci(e instanceof Error ? e.message : String(e));
		}
	};
	return /* @__PURE__ */ K("div", {
		class: "menu",
		ref: a,
		children: [/* @__PURE__ */ K("button", {
			type: "button",
			class: "icon",
			"aria-haspopup": "menu",
			"aria-expanded": r,
			"aria-label": t,
			title: t,
			onClick: () => i(!r),
			children: n
		}), r && /* @__PURE__ */ K("div", {
			role: "menu",
			children: Di.filter((e) => B.alone || e.name !== "link").map((e) => /* @__PURE__ */ K("button", {
				type: "button",
				role: "menuitem",
				"data-take": e.name,
				onClick: () => void o(e),
				children: e.shown
			}, e.name))
		})]
	});
}
function ki({ title: e, make: t, children: n, legend: r, first: i, of: a }) {
	let o = Me(t);
	o.current = t, A(() => {
		if (!i) return;
		let e = () => o.current();
		return Si.value = e, () => {
			Si.peek() === e && (Si.value = null);
		};
	}, [i]);
	let s = j(() => t().table, a);
	return /* @__PURE__ */ K("figure", {
		class: "figure",
		children: [
			/* @__PURE__ */ K("figcaption", {
				class: "row",
				children: [/* @__PURE__ */ K("h2", { children: e }), /* @__PURE__ */ K(Oi, {
					make: t,
					label: `Save “${e}”`,
					children: /* @__PURE__ */ K(yi, { name: "save" })
				})]
			}),
			r,
			/* @__PURE__ */ K("div", {
				class: "frame",
				children: n
			}),
			/* @__PURE__ */ K(xi, { table: s })
		]
	});
}
// src/parts/top.tsx
function Ai() {
	let e = Qt.value?.models ?? [], t = ln.value, n = (t) => {
		let n = e.find((e) => e.name === t) ?? null, { second: r, ...i } = I.peek().more, a = n?.task === un.peek()?.task ? null : Gr(n);
		L({
			model: t,
			text: a?.text ?? I.peek().text,
			place: "",
			head: 0,
			pins: [],
			changes: [],
			more: a?.second ? {
				...i,
				second: a.second
			} : i
		});
	};
	return /* @__PURE__ */ K("select", {
		"aria-label": "Model",
		class: "model",
		value: t,
		onChange: (e) => n(e.currentTarget.value),
		children: [!e.some((e) => e.name === t) && /* @__PURE__ */ K("option", {
			value: t,
			children: t || "no model"
		}), e.map((e) => /* @__PURE__ */ K("option", {
			value: e.name,
			disabled: e.problem !== "",
			title: e.problem || `${e.task}, ${e.where}`,
			children: [e.name, e.state === "loading" ? " …" : ""]
		}, e.name))]
	});
}
function ji() {
	let e = yt(I.value.text), t = yt(z("second"));
	Dt(() => {
		e.value = I.value.text, t.value = I.value.more.second ?? "";
	});
	let n = un.value?.task === "answer", r = () => {
		let n = I.peek();
		if (e.value === n.text && t.value === (n.more.second ?? "")) return void Tn();
		L({
			text: e.value,
			pins: []
		}), R({ second: t.value });
	}, i = (e) => {
		e.preventDefault(), r();
	};
	return /* @__PURE__ */ K("form", {
		onSubmit: i,
		children: [
			/* @__PURE__ */ K("textarea", {
				rows: 1,
				"aria-label": n ? "Story" : "Text",
				value: e.value,
				spellcheck: !1,
				placeholder: n ? "A story, a sentence a line" : "Type a text",
				maxLength: Qt.value?.bounds.letters,
				onInput: (t) => e.value = t.currentTarget.value,
				onKeyDown: (e) => {
					e.key === "Enter" && !e.shiftKey && !e.isComposing && i(e);
				}
			}),
			(n || t.value) && /* @__PURE__ */ K("input", {
				type: "text",
				class: "second",
				"aria-label": n ? "Question" : "Second text",
				value: t.value,
				placeholder: n ? "A question" : "The second text",
				onInput: (e) => t.value = e.currentTarget.value
			}),
			H.value ? /* @__PURE__ */ K("button", {
				type: "button",
				class: "main stop",
				onClick: On,
				children: "Stop"
			}) : /* @__PURE__ */ K("button", {
				type: "submit",
				class: "main",
				disabled: !ln.value,
				children: "Run"
			})
		]
	});
}
function Mi({ help: e }) {
	return /* @__PURE__ */ K("header", {
		class: "top",
		children: [
			/* @__PURE__ */ K("a", {
				class: "skip",
				href: "#main",
				onClick: (e) => {
					e.preventDefault(), B.root.querySelector("main")?.focus();
				},
				children: "Skip to the view"
			}),
			/* @__PURE__ */ K("h1", {
				class: "brand",
				children: "regard"
			}),
			Hn.value ? /* @__PURE__ */ K("span", {
				class: "faint",
				children: "what was seen"
			}) : /* @__PURE__ */ K(x, { children: [/* @__PURE__ */ K(Ai, {}), /* @__PURE__ */ K(ji, {})] }),
			/* @__PURE__ */ K("div", {
				class: "tools",
				children: [
					/* @__PURE__ */ K("button", {
						type: "button",
						class: "icon",
						"aria-label": `Use the ${Zr.value === "dark" ? "light" : "dark"} theme`,
						title: "Light or dark",
						onClick: Qr,
						children: /* @__PURE__ */ K(yi, { name: "theme" })
					}),
					/* @__PURE__ */ K(Oi, {
						make: () => Si.value?.() ?? null,
						label: "Save the picture",
						children: /* @__PURE__ */ K(yi, { name: "save" })
					}),
					B.alone && /* @__PURE__ */ K("button", {
						type: "button",
						class: "icon",
						"aria-label": "Copy a link to what you see",
						title: "Copy a link",
						onClick: () => void Ti(Vt(), "Link"),
						children: /* @__PURE__ */ K(yi, { name: "link" })
					}),
					/* @__PURE__ */ K("button", {
						type: "button",
						class: "icon",
						"aria-label": "Keys",
						title: "Keys",
						onClick: e,
						children: /* @__PURE__ */ K(yi, { name: "keys" })
					})
				]
			})
		]
	});
}
// src/parts/picture.tsx
function Ni(e) {
	if (!e) return {};
	let t = e.press;
	return {
		onPointerEnter: e.enter,
		onPointerLeave: e.leave,
		onFocus: e.enter,
		onBlur: e.leave,
		...t && {
			role: "button",
			tabIndex: 0,
			onClick: (e) => t(e.shiftKey),
			onKeyDown: (e) => {
				(e.key === "Enter" || e.key === " ") && (e.preventDefault(), t(e.shiftKey));
			}
		}
	};
}
function Pi({ mark: e }) {
	let { opacity: t, title: n, touch: r, name: i } = e, a = {
		opacity: t,
		class: i,
		"aria-label": r?.press ? n : void 0,
		...Ni(r)
	}, o = n && /* @__PURE__ */ K("title", { children: n });
	switch (e.kind) {
		case "box": return /* @__PURE__ */ K("rect", {
			x: e.x,
			y: e.y,
			width: Math.max(0, e.width),
			height: Math.max(0, e.height),
			rx: e.round,
			fill: e.fill ?? "none",
			stroke: e.stroke,
			"stroke-width": e.thickness,
			...a,
			children: o
		});
		case "stroke": return /* @__PURE__ */ K("path", {
			d: e.d,
			fill: e.fill ?? "none",
			stroke: e.stroke,
			"stroke-width": e.thickness,
			"stroke-linecap": "round",
			"stroke-dasharray": e.dashes,
			...a,
			children: o
		});
		case "label": return /* @__PURE__ */ K("text", {
			x: e.x,
			y: e.y,
			fill: e.fill,
			"font-size": e.size ?? 12,
			"text-anchor": e.anchor,
			"font-family": e.mono ? wr : Cr,
			"font-weight": e.bold ? 600 : void 0,
			"xml:space": "preserve",
			transform: e.turn ? `rotate(${e.turn} ${e.x} ${e.y})` : void 0,
			...a,
			children: [e.text, o]
		});
		case "raster": return null;
	}
}
function Fi({ scene: e, label: t }) {
	return /* @__PURE__ */ K("svg", {
		class: "drawing",
		role: "group",
		"aria-label": t,
		width: e.width,
		height: e.height,
		viewBox: `0 0 ${e.width} ${e.height}`,
		children: e.marks.map((e, t) => /* @__PURE__ */ K(Pi, { mark: e }, t))
	});
}
function Ii({ scene: e, label: t, over: n, press: r, drag: i, keys: a }) {
	let o = Me(null), s = Z.value.paper;
	A(() => {
		let t = o.current, n = t?.getContext("2d");
		if (!t || !n) return;
		let r = Math.min(3, devicePixelRatio || 1);
		t.width = Math.round(e.width * r), t.height = Math.round(e.height * r), fi(n, e, r, s);
	}, [e, s]);
	let c = (t) => {
		let n = o.current.getBoundingClientRect();
		return {
			x: (t.clientX - n.left) * e.width / n.width,
			y: (t.clientY - n.top) * e.height / n.height
		};
	};
	return /* @__PURE__ */ K("canvas", {
		ref: o,
		class: r ? "painting live" : "painting",
		role: "img",
		"aria-label": t,
		tabIndex: a ? 0 : void 0,
		style: {
			width: `${e.width}px`,
			aspectRatio: `${e.width} / ${e.height}`
		},
		onPointerMove: (e) => {
			n?.(c(e)), e.buttons & 1 && i?.(c(e));
		},
		onPointerLeave: () => n?.(null),
		onPointerDown: (e) => {
			e.button === 0 && (i && o.current.setPointerCapture(e.pointerId), r?.(c(e), e));
		},
		onKeyDown: a
	});
}
// src/python.ts
function Li(e) {
	return e === null ? "None" : typeof e == "boolean" ? e ? "True" : "False" : Array.isArray(e) ? `[${e.map(Li).join(", ")}]` : typeof e == "object" ? `{${Object.entries(e).map(([e, t]) => `${JSON.stringify(e)}: ${Li(t)}`).join(", ")}}` : JSON.stringify(e);
}
function Ri(e) {
	let t = [], n = (e) => /^\d+$/.test(z(e)) ? Number(z(e)) : null;
	e.task === "translate" && t.push(`beam=${n("beam") ?? 4}`), e.task === "generate" && (t.push(`max_length=${n("tokens") ?? 32}`), n("beam") && t.push(`beam=${n("beam")}`));
	let r = Number(z("temperature"));
	r > 0 && t.push(`sample=Sample(temperature=${r})`, `seed=${n("seed") ?? 0}`);
	let i = Li(e.text);
	return `model(${[e.second === null ? i : e.task === "answer" ? `${i}, ${Li(e.second)}` : `(${i}, ${Li(e.second)})`, ...t].join(", ")})`;
}
function zi(e) {
	let t = V.value;
	if (!t) return "import regard\n";
	let n = Number(z("temperature")) > 0, r = t.edits.length > 0, i = "regard.watch(model.model) as seen";
	return [
		"import regard",
		...n ? ["from regard.decoding import Sample"] : [],
		"",
		`model = regard.load(${Li(t.model)})${un.value?.where === "folder" ? "  # the path of its folder" : ""}`,
		...r ? [`edits = ${Li(t.edits)}`] : [],
		`with ${r ? `regard.edit(model.model, edits), ${i}` : i}:`,
		`    answer = ${Ri(t)}`,
		"print(answer)",
		...W.value ? [`pattern = seen[${Li(W.value.name)}]`] : [],
		...e,
		""
	].join("\n");
}
// src/scene/bars.ts
var Bi = 24;
function Vi(e, t, { width: n = 420, most: r = 1, digits: i = 2 } = {}) {
	let a = Math.min(170, Math.max(40, ...e.map((e) => Or(e.name, 13)))) + 10, o = Math.max(60, n - a - 96), s = e.flatMap((e, n) => {
		let s = n * Bi + 4, c = (e) => o * Math.min(1, Math.max(0, e)) / r, l = e.before === void 0 ? Y(e.value, i) : `${Y(e.before, i)} → ${Y(e.value, i)}`;
		return [
			{
				kind: "label",
				x: a - 8,
				y: s + 13,
				anchor: "end",
				text: kr(e.name, a - 8),
				size: 13,
				mono: !0,
				bold: e.strong,
				fill: t.ink
			},
			...e.before === void 0 ? [] : [{
				kind: "box",
				x: a,
				y: s + 1,
				width: c(e.before),
				height: 15,
				round: 2,
				stroke: t.faint,
				thickness: 1
			}],
			{
				kind: "box",
				x: a,
				y: s + (e.before === void 0 ? 2 : 4),
				width: Math.max(1, c(e.value)),
				height: e.before === void 0 ? 13 : 9,
				round: 2,
				fill: t.accent,
				opacity: e.strong === !1 ? .45 : 1,
				title: e.title ?? `${e.name}: ${e.value}`,
				touch: e.touch
			},
			{
				kind: "label",
				x: a + Math.max(c(e.value), c(e.before ?? 0)) + 6,
				y: s + 13,
				text: l,
				size: 12,
				fill: t.faint
			}
		];
	});
	return {
		width: n,
		height: e.length * Bi + 8,
		marks: s
	};
}
// src/views/edit/compared.tsx
function Hi({ difference: e, which: t }) {
	let n = t === "before" ? e.score_before : e.score_after;
	return /* @__PURE__ */ K("section", {
		class: "card",
		"aria-label": t,
		children: [/* @__PURE__ */ K("div", {
			class: "row",
			children: [/* @__PURE__ */ K("h2", { children: t === "before" ? "Before" : "After" }), n !== null && /* @__PURE__ */ K("span", {
				class: "faint small",
				children: ["score ", Y(n)]
			})]
		}), /* @__PURE__ */ K("p", {
			class: "prose plain-prose",
			"data-side": t,
			children: e.words.map((e, n) => {
				let r = e[t];
				if (!r.length) return null;
				let i = J(r.join(" "));
				return e.do === "same" ? /* @__PURE__ */ K("span", { children: [i, " "] }, n) : /* @__PURE__ */ K("mark", {
					class: t === "before" ? "down" : "up",
					children: i
				}, n);
			})
		})]
	});
}
var Ui = (e) => e.reduce((e, t) => e + Math.abs(t.after - t.before), 0);
function Wi({ title: e, options: t, first: n }) {
	let r = Vi([...t].sort((e, t) => Math.max(t.before, t.after) - Math.max(e.before, e.after)).slice(0, 7).map((e) => ({
		name: q(e.text),
		value: e.after,
		before: e.before,
		strong: e.after > e.before + .005 || void 0
	})), Z.value, { width: 420 });
	return /* @__PURE__ */ K("div", {
		class: "card",
		children: /* @__PURE__ */ K(ki, {
			title: e,
			of: [t],
			first: n,
			make: () => ({
				title: e,
				scene: r,
				python: zi(["# the probabilities before: the same without regard.edit"]),
				table: {
					caption: e,
					columns: [
						"text",
						"before",
						"after"
					],
					rows: t.map((e) => [
						q(e.text),
						e.before,
						e.after
					])
				}
			}),
			children: /* @__PURE__ */ K(Fi, {
				scene: r,
				label: e
			})
		})
	});
}
function Gi() {
	let e = V.value, t = e.difference;
	if (!t) {
		let t = en.value ?? e;
		return t.answer.text ? /* @__PURE__ */ K("section", {
			class: "card",
			"aria-label": "answer",
			children: [/* @__PURE__ */ K("h2", { children: "Answer" }), /* @__PURE__ */ K("p", {
				class: "prose plain-prose",
				"data-side": "before",
				children: J(t.answer.text)
			})]
		}) : null;
	}
	let n = t.before === t.after, r = [...t.contests].sort((e, t) => Ui(t.options) - Ui(e.options)).slice(0, 4), i = t.given_up;
	return /* @__PURE__ */ K("div", {
		class: H.value ? "stack fading" : "stack",
		"data-compared": !0,
		children: [
			t.words.length > 0 && /* @__PURE__ */ K("div", {
				class: "two",
				children: [/* @__PURE__ */ K(Hi, {
					difference: t,
					which: "before"
				}), /* @__PURE__ */ K(Hi, {
					difference: t,
					which: "after"
				})]
			}),
			/* @__PURE__ */ K("p", {
				"data-lost": !0,
				children: [
					n && t.words.length > 0 ? "The words stayed the same. " : "",
					i !== null && (i >= 0 ? `With the edits, the text before would be ${i < 3 ? Y(Math.exp(i), 1) : rr(Math.round(Math.exp(Math.min(i, 30))))} times less likely: its log-probability fell by ${Y(i)}.` : `With the edits, the text before would be likelier: its log-probability rose by ${Y(-i)}.`),
					t.similarity !== null && `The vectors' cosine is ${Y(t.similarity, 3)}.`
				]
			}),
			/* @__PURE__ */ K("div", {
				class: "two",
				children: [t.options.length > 0 && /* @__PURE__ */ K(Wi, {
					title: "Before and after",
					options: t.options,
					first: !0
				}), r.map((e, n) => /* @__PURE__ */ K(Wi, {
					title: `In place of “${q(e.text)}”`,
					options: e.options,
					first: n === 0 && t.options.length === 0
				}, e.row))]
			})
		]
	});
}
// src/views/edit/heads.tsx
var Ki = ({ record: e, on: t }, n, r) => t && e.do === "scale" && e.factor === 0 && Mr(String(e.place), n) && e.heads.includes(r);
function qi(e, t) {
	let n = cn.value, r = n.findIndex((n) => Ki(n, e, t)), i = {
		do: "scale",
		place: e,
		heads: [t],
		factor: 0
	};
	if (r < 0) return Nn([...n, {
		record: i,
		on: !0
	}]);
	let a = n[r].record, o = a.heads.filter((e) => e !== t), s = o.length ? [{
		record: {
			...a,
			heads: o
		},
		on: !0
	}] : [];
	Nn([
		...n.slice(0, r),
		...s,
		...n.slice(r + 1)
	]);
}
function Ji() {
	let e = V.value.places;
	return /* @__PURE__ */ K(x, { children: [/* @__PURE__ */ K("div", {
		class: "row",
		children: [/* @__PURE__ */ K("h2", { children: "Heads" }), /* @__PURE__ */ K("span", {
			class: "faint small",
			children: "click one to switch it off, again to switch it on"
		})]
	}), /* @__PURE__ */ K("div", {
		class: "board",
		children: e.map((e) => /* @__PURE__ */ K("div", {
			class: "board-row",
			children: [/* @__PURE__ */ K("span", {
				class: "mono small",
				children: e.name
			}), /* @__PURE__ */ K("span", {
				class: "row tiny",
				children: Array.from({ length: e.heads }, (t, n) => {
					let r = cn.value.some((t) => Ki(t, e.name, n));
					return /* @__PURE__ */ K("button", {
						type: "button",
						class: W.value?.name === e.name && dn.value === n ? "switch here" : "switch",
						"aria-pressed": !r,
						"data-switch": `${e.name}/${n}`,
						"aria-label": `${e.name} head ${n}, ${r ? "off" : "on"}`,
						onClick: () => {
							L({
								...I.peek(),
								place: e.name,
								head: n
							}), qi(e.name, n);
						},
						children: n
					}, n);
				})
			})]
		}, e.name))
	})] });
}
function Yi({ add: e }) {
	let t = yt(.5), n = yt(2), r = W.value.name, i = [dn.value];
	return /* @__PURE__ */ K("div", {
		class: "row",
		children: [
			/* @__PURE__ */ K("button", {
				type: "button",
				class: "plain",
				"data-do": "off",
				onClick: () => e({
					do: "scale",
					place: r,
					heads: i,
					factor: 0
				}),
				children: "Off"
			}),
			/* @__PURE__ */ K("label", { children: [
				"Scale",
				/* @__PURE__ */ K("input", {
					type: "range",
					min: -1,
					max: 3,
					step: .1,
					value: t.value,
					"aria-label": "Factor",
					onInput: (e) => t.value = Number(e.currentTarget.value)
				}),
				/* @__PURE__ */ K("output", { children: ["× ", t.value] })
			] }),
			/* @__PURE__ */ K("button", {
				type: "button",
				class: "plain",
				"data-do": "scale",
				onClick: () => e({
					do: "scale",
					place: r,
					heads: i,
					factor: t.value
				}),
				children: "Scale it"
			}),
			/* @__PURE__ */ K("label", { children: [
				"Temperature",
				/* @__PURE__ */ K("input", {
					type: "range",
					min: -2,
					max: 2,
					step: .1,
					value: Math.log2(n.value),
					"aria-label": "Temperature of the head",
					onInput: (e) => n.value = Number((2 ** Number(e.currentTarget.value)).toFixed(2))
				}),
				/* @__PURE__ */ K("output", { children: n.value })
			] }),
			/* @__PURE__ */ K("button", {
				type: "button",
				class: "plain",
				"data-do": "temper",
				onClick: () => e({
					do: "temper",
					place: r,
					heads: i,
					temperature: n.value
				}),
				children: "Temper it"
			})
		]
	});
}
// src/parts/asked.ts
function Xi(e, t, n = 0) {
	let [r, i] = k({
		answer: null,
		problem: null,
		busy: e !== null
	});
	return A(() => {
		if (!e) return i({
			answer: null,
			problem: null,
			busy: !1
		});
		let t = new AbortController();
		i((e) => ({
			...e,
			busy: !0
		}));
		let r = setTimeout(async () => {
			try {
				let n = await e(t.signal);
				t.signal.aborted || i({
					answer: n,
					problem: null,
					busy: !1
				});
			} catch (e) {
				if (t.signal.aborted) return;
				let n = e instanceof Error ? e.message : String(e);
				i((t) => Dn(e) ? t : {
					answer: null,
					problem: n,
					busy: !1
				});
			}
		}, n);
		return () => {
			clearTimeout(r), t.abort();
		};
	}, t), r;
}
// src/views/edit/drawn.tsx
var Zi = 120, Qi = 128;
function $i(e, t, n) {
	let r = e.reduce((e, n, r) => r === t ? e : e + n, 0), i = 1 - n;
	return e.map((a, o) => o === t ? n : r > 0 ? a * i / r : i / (e.length - 1));
}
var ea = (e, t) => t.rows === "target" || e.task === "generate" && e.sides.some((e) => e.given < e.texts.length);
function ta() {
	let e = V.value, t = W.value, n = dn.value, r = G.value.flatMap((n) => lr(e, t, n) ?? []).at(-1) ?? Math.min(1, t.queries - 1), { answer: i, problem: a } = Xi((i) => Yt.row(e.id, {
		place: t.name,
		head: n,
		row: r,
		top: 1
	}, i), [
		e.id,
		t.name,
		n,
		r
	]), [o, s] = k(null);
	if (A(() => s(null), [i]), ea(e, t)) return /* @__PURE__ */ K("p", {
		class: "faint small",
		children: [
			"Weights can be drawn where a text is read at once; ",
			t.name,
			" looks while it writes, one token at a time."
		]
	});
	if (a) return /* @__PURE__ */ K(hr, { line: a });
	if (!i || i.row !== r) return null;
	if (!i.weights.length || i.weights.length > Qi || i.weights.length < 2) return /* @__PURE__ */ K("p", {
		class: "faint small",
		children: [
			"A row of ",
			i.keys,
			" weights is too ",
			i.keys < 2 ? "short" : "long",
			" to be drawn by hand."
		]
	});
	let c = o ?? i.weights, l = Math.max(26, Math.min(64, 760 / c.length)), u = Z.value, d = c.flatMap((n, r) => {
		let a = 4 + r * l, s = i.weights[r];
		return [
			{
				kind: "box",
				x: a + 3,
				y: 10,
				width: l - 6,
				height: Zi,
				fill: u.soft,
				opacity: .5,
				round: 3
			},
			...o ? [{
				kind: "box",
				x: a + 3,
				y: 10 + Zi * (1 - s),
				width: l - 6,
				height: Zi * s,
				stroke: u.faint,
				round: 2
			}] : [],
			{
				kind: "box",
				x: a + 3,
				y: 10 + Zi * (1 - n),
				width: l - 6,
				height: Math.max(1, Zi * n),
				fill: u.accent,
				round: 3
			},
			{
				kind: "label",
				x: a + l / 2,
				y: 144,
				anchor: "middle",
				text: Y(n),
				size: 11,
				fill: u.faint
			},
			{
				kind: "label",
				x: a + l / 2 + 4,
				y: 152,
				anchor: "end",
				turn: -90,
				text: kr(q(X(e, t, r)), 60, 12),
				size: 12,
				mono: !0,
				fill: u.ink
			}
		];
	}), f = {
		width: 8 + l * c.length,
		height: 220,
		marks: d
	}, p = ({ x: n, y: i }) => {
		let a = Math.floor((n - 4) / l);
		if (a < 0 || a >= c.length) return;
		let o = Math.min(1, Math.max(0, 1 - (i - 10) / Zi));
		s($i(c, a, Math.round(o * 100) / 100)), rn.value = `“${q(dr(e, t, r))}” shall look at “${q(X(e, t, a))}” with ${Y(o)}`;
	}, m = (e) => {
		let i = {
			do: "set",
			place: t.name,
			heads: [n],
			rows: [r],
			weights: [e.map((e) => Number(e.toFixed(4)))]
		};
		Nn([...cn.value.filter(({ record: e }) => e.do !== "set" || e.place !== t.name || String(e.heads) !== String([n]) || String(e.rows) !== String([r])), {
			record: i,
			on: !0
		}]);
	}, h = (e) => s($i(c, e, 1));
	return /* @__PURE__ */ K("div", {
		class: "stack tight",
		children: [
			/* @__PURE__ */ K("div", {
				class: "row",
				children: [
					/* @__PURE__ */ K("h3", { children: "Draw what a token looks at" }),
					/* @__PURE__ */ K("label", { children: ["Token", /* @__PURE__ */ K("select", {
						class: "mono",
						"aria-label": "Token whose row is drawn",
						value: r,
						onChange: (n) => L({ pins: [sr(e, t, Number(n.currentTarget.value))] }),
						children: Array.from({ length: Math.min(400, t.queries) }, (n, r) => /* @__PURE__ */ K("option", {
							value: r,
							children: [
								r,
								" ",
								q(dr(e, t, r))
							]
						}, r))
					})] }),
					/* @__PURE__ */ K("label", { children: ["All to", /* @__PURE__ */ K("select", {
						class: "mono",
						"aria-label": "All weight to",
						value: "",
						onChange: (e) => h(Number(e.currentTarget.value)),
						children: [/* @__PURE__ */ K("option", {
							value: "",
							disabled: !0,
							children: "choose"
						}), c.map((n, r) => /* @__PURE__ */ K("option", {
							value: r,
							children: [
								r,
								" ",
								q(X(e, t, r))
							]
						}, r))]
					})] }),
					/* @__PURE__ */ K("button", {
						type: "button",
						class: "plain",
						"data-do": "set",
						disabled: !o,
						onClick: () => o && m(o),
						children: "Use these weights"
					}),
					/* @__PURE__ */ K("button", {
						type: "button",
						class: "plain",
						disabled: !o,
						onClick: () => s(null),
						children: "Put back"
					})
				]
			}),
			/* @__PURE__ */ K("div", {
				class: "frame",
				children: /* @__PURE__ */ K(Ii, {
					scene: f,
					label: `weights of ${q(dr(e, t, r))}; drag a bar to change it`,
					press: (e) => p(e),
					drag: p
				})
			}),
			/* @__PURE__ */ K("table", {
				class: "unseen",
				children: [/* @__PURE__ */ K("caption", { children: ["weights of ", q(dr(e, t, r))] }), /* @__PURE__ */ K("tbody", { children: c.map((n, r) => /* @__PURE__ */ K("tr", { children: [/* @__PURE__ */ K("th", {
					scope: "row",
					children: q(X(e, t, r))
				}), /* @__PURE__ */ K("td", { children: Y(n, 3) })] }, r)) })]
			})
		]
	});
}
// src/views/edit/hiding.tsx
var na = 200;
function ra(e) {
	let t = V.value, n = t.places.filter((n) => ar(t, n.columns) === e);
	return n.length === t.places.length ? ["*"] : [...new Set(n.map((e) => e.name.replace(/\.\d+(?=\.|$)/g, ".*")))];
}
function ia() {
	let e = V.value, t = j(() => e.sides.map((t, n) => ({
		name: t.name,
		tokens: ir(t).slice(0, t.texts.length),
		looked: e.places.some((t) => ar(e, t.columns) === n)
	})), [e]), n = (e, t) => {
		let n = ra(e);
		return cn.value.some(({ record: e, on: r }) => r && e.do === "hide" && n.includes(String(e.place)) && e.places.includes(t));
	}, r = (e, t) => {
		let r = ra(e);
		if (n(e, t)) return Nn(cn.value.flatMap((e) => {
			if (e.record.do !== "hide" || !r.includes(String(e.record.place))) return [e];
			let n = e.record.places.filter((e) => e !== t);
			return n.length ? [{
				...e,
				record: {
					...e.record,
					places: n
				}
			}] : [];
		}));
		Nn([...cn.value, ...r.map((e) => ({
			record: {
				do: "hide",
				place: e,
				places: [t]
			},
			on: !0
		}))]);
	};
	return /* @__PURE__ */ K("section", {
		class: "card stack",
		"aria-label": "Tokens",
		children: [/* @__PURE__ */ K("div", {
			class: "row",
			children: [/* @__PURE__ */ K("h2", { children: "Tokens" }), /* @__PURE__ */ K("span", {
				class: "faint small",
				children: "click one to hide it from all who could look at it"
			})]
		}), t.map((e, t) => e.looked && /* @__PURE__ */ K("div", {
			class: "board-row",
			children: [/* @__PURE__ */ K("span", {
				class: "small faint",
				children: e.name
			}), /* @__PURE__ */ K("span", {
				class: "row tiny",
				children: [e.tokens.map((e, t) => ({
					token: e,
					index: t
				})).filter(({ index: e }) => e < na || G.value.some((n) => n.side === t && n.index === e)).map(({ token: e, index: i }) => /* @__PURE__ */ K("button", {
					type: "button",
					class: "hide mono",
					"aria-pressed": n(t, i),
					"data-hide": `${t}/${i}`,
					"aria-label": `${q(e.text)}, ${n(t, i) ? "hidden" : "seen"}`,
					onPointerEnter: () => U.value = {
						side: t,
						index: i
					},
					onPointerLeave: () => U.value = null,
					onClick: () => r(t, i),
					children: q(e.text)
				}, i)), e.tokens.length > na && /* @__PURE__ */ K("span", {
					class: "faint small",
					children: [
						"and ",
						e.tokens.length - na,
						" more: pin one to find it here"
					]
				})]
			})]
		}, e.name))]
	});
}
// src/views/edit/view.tsx
async function aa(e) {
	if (e) try {
		let t = JSON.parse(await e.text()), n = Array.isArray(t) ? t.filter((e) => typeof e == "object" && !!e && typeof e.do == "string") : [];
		if (!n.length) return Ci("No edits in this file");
		Nn(n.map((e) => ({
			record: e,
			on: !0
		})));
	} catch {
		Ci("This file is not JSON");
	}
}
function oa() {
	let e = cn.value, t = vr();
	return /* @__PURE__ */ K("section", {
		class: "card stack",
		"aria-label": "Edits",
		children: [/* @__PURE__ */ K("div", {
			class: "row",
			children: [
				/* @__PURE__ */ K("h2", { children: "Edits" }),
				/* @__PURE__ */ K("button", {
					type: "button",
					class: "plain",
					disabled: !jn.value,
					onClick: Pn,
					children: "Undo"
				}),
				/* @__PURE__ */ K("button", {
					type: "button",
					class: "plain",
					disabled: !Mn.value,
					onClick: Fn,
					children: "Redo"
				}),
				/* @__PURE__ */ K("button", {
					type: "button",
					class: "plain",
					disabled: !e.length,
					onClick: () => Nn([]),
					children: "Reset"
				}),
				/* @__PURE__ */ K("button", {
					type: "button",
					class: "plain",
					disabled: !vn.value.length,
					title: "The file that regard translate --edit and regard.edit read",
					onClick: () => wi(JSON.stringify(vn.value, null, 1) + "\n", "edits.json", "application/json"),
					children: "Save JSON"
				}),
				/* @__PURE__ */ K("label", {
					class: "button file",
					children: ["Load JSON", /* @__PURE__ */ K("input", {
						type: "file",
						accept: "application/json,.json",
						class: "unseen",
						onChange: (e) => void aa(e.currentTarget.files?.[0])
					})]
				}),
				H.value && /* @__PURE__ */ K("span", {
					class: "faint small",
					role: "status",
					children: t?.line
				})
			]
		}), e.length === 0 ? /* @__PURE__ */ K("p", {
			class: "faint",
			children: "Nothing is changed yet. Switch a head off below, hide a token, or draw a weight: the text is run again at once."
		}) : /* @__PURE__ */ K("ul", {
			class: "edits",
			children: e.map((t, n) => /* @__PURE__ */ K("li", { children: [/* @__PURE__ */ K("label", { children: [
				/* @__PURE__ */ K("input", {
					type: "checkbox",
					checked: t.on,
					onChange: () => Nn(e.map((e, t) => t === n ? {
						...e,
						on: !e.on
					} : e))
				}),
				" ",
				/* @__PURE__ */ K("span", {
					class: "mono",
					children: Pr(t.record, V.value)
				})
			] }), /* @__PURE__ */ K("button", {
				type: "button",
				class: "icon",
				"aria-label": `Remove: ${Pr(t.record, V.value)}`,
				onClick: () => Nn(e.filter((e, t) => t !== n)),
				children: /* @__PURE__ */ K(yi, { name: "close" })
			})] }, n))
		})]
	});
}
function sa() {
	return V.value ? /* @__PURE__ */ K("div", {
		class: "stack",
		children: [
			/* @__PURE__ */ K(oa, {}),
			/* @__PURE__ */ K(Gi, {}),
			/* @__PURE__ */ K("section", {
				class: "card stack",
				"aria-label": "Heads",
				children: /* @__PURE__ */ K(Ji, {})
			}),
			/* @__PURE__ */ K("section", {
				class: "card stack",
				"aria-label": "The chosen head",
				children: [
					/* @__PURE__ */ K("div", {
						class: "row",
						children: [/* @__PURE__ */ K("h2", { children: "The chosen head" }), /* @__PURE__ */ K(Yn, {})]
					}),
					/* @__PURE__ */ K(Yi, { add: In }),
					/* @__PURE__ */ K(ta, {})
				]
			}),
			/* @__PURE__ */ K(ia, {})
		]
	}) : /* @__PURE__ */ K(yr, { children: "Run a text: then switch heads off, hide tokens or draw weights, and see what changes." });
}
// src/scene/colour.ts
var ca = {
	light: [[
		1,
		0,
		0
	], [
		.3,
		-.015,
		-.125
	]],
	dark: [[
		.2,
		-.002,
		-.012
	], [
		.95,
		-.02,
		.115
	]]
}, la = {
	light: [
		[
			.42,
			-.03,
			-.16
		],
		[
			1,
			0,
			0
		],
		[
			.6,
			.11,
			.12
		]
	],
	dark: [
		[
			.75,
			-.05,
			-.12
		],
		[
			.2,
			-.002,
			-.012
		],
		[
			.78,
			.08,
			.13
		]
	]
};
function ua(e) {
	let t = Math.min(1, Math.max(0, e));
	return Math.round(255 * (t <= .0031308 ? 12.92 * t : 1.055 * t ** (1 / 2.4) - .055));
}
function da([e, t, n]) {
	let r = (e + .3963377774 * t + .2158037573 * n) ** 3, i = (e - .1055613458 * t - .0638541728 * n) ** 3, a = (e - .0894841775 * t - 1.291485548 * n) ** 3;
	return [
		ua(4.0767416621 * r - 3.3077115913 * i + .2309699292 * a),
		ua(-1.2684380046 * r + 2.6097574011 * i - .3413193965 * a),
		ua(-.0041960863 * r - .7034186147 * i + 1.707614701 * a)
	];
}
function fa(e, t, n) {
	return [
		0,
		1,
		2
	].map((r) => e[r] + n * (t[r] - e[r]));
}
var pa = (e) => Math.min(1, Math.max(0, e));
function ma(e, t) {
	return da(fa(...ca[e], pa(t)));
}
function ha(e, t) {
	let [n, r, i] = la[e];
	return da(fa(r, t < 0 ? n : i, pa(Math.abs(t))));
}
var ga = ([e, t, n]) => `rgb(${e} ${t} ${n})`;
function _a([e, t, n]) {
	return .299 * e + .587 * t + .114 * n > 140 ? "#14171c" : "#ffffff";
}
function va(e) {
	let t = /* @__PURE__ */ new Uint32Array(256);
	for (let n = 0; n < 256; n++) {
		let [r, i, a] = e(n / 255);
		t[n] = (255 << 24 | a << 16 | i << 8 | r) >>> 0;
	}
	return t;
}
var ya = [
	"#0072b2",
	"#d55e00",
	"#009e73",
	"#cc79a7",
	"#e69f00",
	"#56b4e9",
	"#8b6bb1",
	"#7a7a00"
];
function ba(e) {
	return ya[e] ?? `hsl(${Math.round(e * 137.5 % 360)} 55% 50%)`;
}
function xa(e, { scale: t, top: n }) {
	if (!(e > 0) || !(n > 0)) return 0;
	let r = Math.min(1, e / n);
	return t === "log" ? Math.max(0, 1 + Math.log10(r) / 4) : r;
}
function Sa(e) {
	if (!(e > 0)) return 1;
	let t = 10 ** Math.floor(Math.log10(e)), n = [
		1,
		2,
		5,
		10
	].find((n) => n * t >= e * (1 - 1e-6)) ?? 10;
	return Math.min(1, n * t);
}
var Ca = /* @__PURE__ */ new Map();
function wa(e) {
	let t = Ca.get(e);
	return t || Ca.set(e, t = va((t) => ma(e, t))), t;
}
function Ta(e, t, n, r, i) {
	let a = document.createElement("canvas");
	a.width = Math.max(1, n), a.height = Math.max(1, t);
	let o = a.getContext("2d");
	if (!o || !t || !n) return a;
	let s = o.createImageData(n, t), c = new Uint32Array(s.data.buffer), l = wa(r.theme), [u, d] = r.theme === "dark" ? [4282004269, 4280951839] : [4293123545, 4294110956];
	for (let a = 0; a < n; a++) {
		let o = i?.(a) ?? !1;
		for (let i = 0; i < t; i++) {
			let t = i * n + a;
			c[t] = o ? (i + a) % 2 ? d : u : l[Math.round(255 * xa(e[t], r))];
		}
	}
	return o.putImageData(s, 0, 0), a;
}
// src/parts/legend.tsx
function Ea({ colour: e, label: t }) {
	let n = Me(null);
	return A(() => {
		let t = n.current?.getContext("2d");
		if (t) for (let n = 0; n < 120; n++) t.fillStyle = e(n / 119), t.fillRect(n, 0, 1, 12);
	}), /* @__PURE__ */ K("canvas", {
		ref: n,
		width: 120,
		height: 12,
		role: "img",
		"aria-label": t
	});
}
function Da({ top: e }) {
	let t = Zr.value, n = e >= .995 ? "1" : Y(e, e < .01 ? 4 : 2), r = fn.value === "log" ? (e / 1e4).toExponential(0) : "0";
	return /* @__PURE__ */ K("div", {
		class: "row legendary",
		children: [
			/* @__PURE__ */ K("span", {
				class: "legend",
				children: [
					r,
					/* @__PURE__ */ K(Ea, {
						colour: (e) => ga(ma(t, e)),
						label: `colours from ${r} to ${n}`
					}),
					n
				]
			}),
			/* @__PURE__ */ K(qn, {
				label: "Scale of the colours",
				value: fn.value,
				choose: (e) => L({ scale: e }),
				options: [
					["linear", "linear"],
					["log", "log"],
					["sinkless", "without the sink"]
				]
			}),
			/* @__PURE__ */ K("span", {
				class: "faint small",
				"data-says": "scale",
				children: {
					linear: "ink grows with the weight",
					log: "each quarter of the scale is ten times the weight",
					sinkless: "the first token and special ones are hatched, the scale ends at the largest of the rest"
				}[fn.value]
			})
		]
	});
}
function Oa({ most: e }) {
	let t = Zr.value;
	return /* @__PURE__ */ K("span", {
		class: "legend",
		children: [
			Y(-e),
			/* @__PURE__ */ K(Ea, {
				colour: (e) => ga(ha(t, 2 * e - 1)),
				label: `colours from ${Y(-e)} to ${Y(e)}`
			}),
			Y(e)
		]
	});
}
// src/parts/width.ts
function ka(e = 900) {
	let [t, n] = k(null), [r, i] = k(e);
	return A(() => {
		if (!t) return;
		let e = new ResizeObserver(([e]) => e && i(Math.floor(e.contentRect.width)));
		return e.observe(t), () => e.disconnect();
	}, [t]), [n, r];
}
// src/views/heads/grid.ts
var Aa = 10, ja = 118, Ma = 24;
function Na(e, t, n, r) {
	let i = Math.max(1, ...e.head.places.map((e) => e.heads)), a = n < 560 ? 0 : ja, o = Math.max(44, Math.min(96, Math.floor((n - a) / i) - Aa)), s = Math.max(1, Math.floor((n - a + Aa) / (o + Aa))), c = 0, l = Ma;
	return e.head.places.flatMap((n) => {
		let i = t.places.find((e) => e.name === n.name), u = r === "sinkless" && i ? fr(t, i) : /* @__PURE__ */ new Set(), d = (i?.keys ?? n.columns) / n.columns, f = (e) => [...u].some((t) => t >= Math.floor(e * d) && t < Math.max(e + 1, Math.ceil((e + 1) * d)));
		a === 0 && (l += 18);
		let p = Array.from({ length: n.heads }, (t, r) => {
			let i = n.rows * n.columns, u = e.numbers.subarray(c + r * i, c + (r + 1) * i);
			return {
				place: n.name,
				head: r,
				rows: n.rows,
				columns: n.columns,
				largest: n.largest[r] ?? 0,
				numbers: u,
				left_out: f,
				x: a + r % s * (o + Aa),
				y: l + Math.floor(r / s) * (o + Aa),
				width: o,
				height: o
			};
		});
		return c += n.heads * n.rows * n.columns, l += Math.ceil(n.heads / s) * (o + Aa), p;
	});
}
function Pa(e) {
	let t = 0;
	for (let n of e) for (let e = 0; e < n.columns; e++) if (!n.left_out(e)) for (let r = 0; r < n.rows; r++) t = Math.max(t, n.numbers[r * n.columns + e]);
	return Sa(t);
}
function Fa(e, t, n, r, i) {
	let a = [], o = "";
	for (let s of e) {
		if (s.place !== o) {
			let e = s.x > 0;
			a.push({
				kind: "label",
				x: 0,
				y: e ? s.y + s.height / 2 + 4 : s.y - 5,
				text: s.place,
				size: 12.5,
				mono: !0,
				fill: n.faint
			}), o = s.place;
		}
		a.push({
			kind: "raster",
			x: s.x,
			y: s.y,
			width: s.width,
			height: s.height,
			opacity: i(s) ? .25 : 1,
			pixels: Ta(s.numbers, s.rows, s.columns, t, s.left_out),
			smooth: s.rows > s.height * 2
		}), a.push({
			kind: "box",
			x: s.x - .5,
			y: s.y - .5,
			width: s.width + 1,
			height: s.height + 1,
			stroke: r(s) ? n.accent : n.line,
			thickness: r(s) ? 2.5 : 1,
			title: `${s.place} head ${s.head}: largest ${Y(s.largest)}`
		});
	}
	let s = e[0];
	if (s && s.x > 0) {
		let t = e.filter((e) => e.place === s.place && e.y === s.y);
		for (let e of t) a.push({
			kind: "label",
			x: e.x + e.width / 2,
			y: 16,
			anchor: "middle",
			text: `head ${e.head}`,
			size: 12,
			fill: n.faint
		});
	}
	let c = Math.max(40, ...e.map((e) => e.y + e.height)) + 4;
	return {
		width: Math.max(160, ...e.map((e) => e.x + e.width)) + 4,
		height: c,
		marks: a
	};
}
function Ia(e, t) {
	return {
		caption: `for each head the largest ${t} of a cell, and where it is`,
		columns: [
			"layer",
			"head",
			"largest",
			"row",
			"column"
		],
		rows: e.map((e) => {
			let t = 0;
			return e.numbers.forEach((n, r) => n > e.numbers[t] && (t = r)), [
				e.place,
				e.head,
				e.largest,
				Math.floor(t / e.columns),
				t % e.columns
			];
		})
	};
}
// src/views/heads/view.tsx
function La({ thumb: e, top: t, name: n }) {
	let r = Math.min(2, Math.max(.5, e.rows / e.columns)), i = Math.round(200 * Math.min(1, r)), a = Math.round(200 * Math.min(1, 1 / r)), o = {
		width: a + 2,
		height: i + 2,
		marks: [{
			kind: "raster",
			x: 1,
			y: 1,
			width: a,
			height: i,
			pixels: Ta(e.numbers, e.rows, e.columns, {
				scale: fn.value,
				top: t,
				theme: Zr.value
			}, e.left_out)
		}, {
			kind: "box",
			x: .5,
			y: .5,
			width: a + 1,
			height: i + 1,
			stroke: Z.value.line
		}]
	};
	return /* @__PURE__ */ K("div", {
		class: "large",
		children: [
			/* @__PURE__ */ K("span", {
				class: "small",
				children: [
					/* @__PURE__ */ K("b", { children: n }),
					" ",
					e.place,
					" · head ",
					e.head
				]
			}),
			/* @__PURE__ */ K(Ii, {
				scene: o,
				label: `${e.place}, head ${e.head}`
			}),
			/* @__PURE__ */ K("span", {
				class: "faint small",
				children: ["largest ", Y(e.largest)]
			})
		]
	});
}
function Ra() {
	let e = V.value, [t, n] = ka(), [r, i] = k(null), a = z("how") === "max" ? "max" : "mean", { answer: o, problem: s } = Xi(e && ((t) => Yt.overview(e.id, {
		how: a,
		size: 64
	}, t)), [e?.id, a]), c = Math.max(260, n - (n > 980 ? 280 : 34)), l = j(() => o && e ? Na(o, e, c, fn.value) : [], [
		o,
		e,
		c,
		fn.value
	]), u = j(() => Pa(l), [l]), d = W.value, f = Zr.value, p = Z.value, m = l.find((e) => e.place === d?.name && e.head === dn.value) ?? null, h = j(() => Fa(l, {
		scale: fn.value,
		top: u,
		theme: f
	}, p, (e) => e === m, (t) => e?.edits.some((e) => e.do === "scale" && e.factor === 0 && e.place === t.place && e.heads.includes(t.head)) ?? !1), [
		l,
		u,
		f,
		m,
		e,
		fn.value
	]);
	if (!e) return /* @__PURE__ */ K(yr, { children: "Run a text: this view then shows all heads of all layers, each as a small picture." });
	let g = ({ x: e, y: t }) => l.find((n) => e >= n.x && e <= n.x + n.width && t >= n.y && t <= n.y + n.height) ?? null, _ = (e) => {
		let t = e && g(e);
		i(t), rn.value = t && `${t.place} · head ${t.head} · largest weight ${Y(t.largest)} · click to open`;
	}, v = (t) => {
		let n = e.places.find((e) => e.name === t.place);
		L({
			place: t.place,
			head: t.head,
			view: Math.max(n?.queries ?? 0, n?.keys ?? 0) > 64 ? "map" : "links"
		});
	}, y = (e) => {
		let t = m ?? l[0];
		if (!t) return;
		let n = [...new Set(l.map((e) => e.place))], r = n.indexOf(t.place), i = {
			ArrowUp: [-1, 0],
			ArrowDown: [1, 0],
			ArrowLeft: [0, -1],
			ArrowRight: [0, 1]
		}[e.key];
		if (e.key === "Enter") return v(t);
		if (!i) return;
		e.preventDefault();
		let a = n[r + i[0]] ?? t.place, o = l.find((e) => e.place === a && e.head === t.head + i[1]);
		o && L({
			place: o.place,
			head: o.head
		});
	}, b = `Heads of ${e.model}`, x = o && o.head.places.some((t) => {
		let n = e.places.find((e) => e.name === t.name);
		return n && n.keys > t.columns;
	});
	return /* @__PURE__ */ K("div", {
		class: "stack",
		ref: t,
		children: [
			!o && !s && /* @__PURE__ */ K(gr, { line: "Waiting for the overview of all heads …" }),
			s && /* @__PURE__ */ K(hr, { line: s }),
			o && /* @__PURE__ */ K("div", {
				class: "card",
				children: /* @__PURE__ */ K(ki, {
					title: b,
					of: [l],
					first: !0,
					make: () => ({
						title: b,
						scene: h,
						table: Ia(l, a),
						python: zi([`print(pattern.pooled(${m?.rows ?? 32}, ${m?.columns ?? 32}, "${a}")[0, ${dn.value}])`])
					}),
					legend: /* @__PURE__ */ K("div", {
						class: "stack tight",
						children: [/* @__PURE__ */ K(Da, { top: u }), x && /* @__PURE__ */ K("div", {
							class: "row",
							children: [/* @__PURE__ */ K(qn, {
								label: "What a cell is",
								value: a,
								choose: (e) => R({ how: e === "max" ? "max" : "" }),
								options: [["mean", "mean of a cell"], ["max", "largest of a cell"]]
							}), /* @__PURE__ */ K("span", {
								class: "faint small",
								children: "a cell stands for several tokens"
							})]
						})]
					}),
					children: /* @__PURE__ */ K("div", {
						class: "beside",
						children: [/* @__PURE__ */ K(Ii, {
							scene: h,
							label: `${l.length} heads as thumbnails; arrow keys choose, Enter opens`,
							over: _,
							keys: y,
							press: (e) => {
								let t = g(e);
								t && v(t);
							}
						}), /* @__PURE__ */ K("div", {
							class: "compare",
							children: [m && /* @__PURE__ */ K(La, {
								thumb: m,
								top: u,
								name: "chosen"
							}), r && r !== m && /* @__PURE__ */ K(La, {
								thumb: r,
								top: u,
								name: "under the pointer"
							})]
						})]
					})
				})
			})
		]
	});
}
// src/scene/matrix.ts
function za(e, t, n) {
	return e.kind === "numbers" ? (e) => ha(t.theme, e / n) : e.kind === "mask" ? (e) => ma(t.theme, e > 0 ? .55 : 0) : (e) => ma(t.theme, e / n);
}
function Ba(e) {
	return Math.max(1e-9, ...e.numbers.flat().map((e) => Math.abs(e ?? 0)));
}
function Va(e, t, n = {}) {
	let r = e.numbers.length, i = e.numbers[0]?.length ?? 0, a = n.cell ?? Math.max(12, Math.min(32, Math.floor(420 / Math.max(r, i, 1)))), o = n.texts ? Math.max(a, Math.min(96, Math.max(...n.texts.flat().map((e) => Or(J(e), 11))) + 8)) : a, s = za(e, t, n.top ?? (e.kind === "weights" ? 1 : Ba(e))), c = e.rows.length === r && e.rows.some(Boolean), l = c ? Math.min(120, Math.max(0, ...e.rows.map((e) => Or(J(e), 12)))) + 10 : 2, u = e.columns.every((e) => Or(J(e), 12) <= o - 4), d = e.columns.some(Boolean) ? u ? 18 : Math.min(90, Math.max(0, ...e.columns.map((e) => Or(J(e), 12)))) + 8 : 2, f = n.title === !1 ? 0 : 20, p = f + d, m = [];
	f && m.push({
		kind: "label",
		x: l,
		y: 13,
		text: e.name,
		size: 13,
		bold: !0,
		fill: t.ink
	}), e.rows.forEach((e, r) => c && m.push({
		kind: "label",
		x: l - 6,
		y: p + r * a + a / 2 + 4,
		anchor: "end",
		text: kr(J(e), l - 8, 12),
		size: 12,
		mono: !0,
		fill: r === n.row ? t.accent : t.faint,
		bold: r === n.row
	})), e.columns.forEach((e, r) => m.push(u ? {
		kind: "label",
		x: l + r * o + o / 2,
		y: p - 5,
		anchor: "middle",
		text: J(e),
		size: 12,
		mono: !0,
		fill: r === n.column ? t.accent : t.faint
	} : {
		kind: "label",
		x: l + r * o + o / 2 + 4,
		y: p - 5,
		turn: -90,
		text: kr(J(e), d - 8, 12),
		size: 12,
		mono: !0,
		fill: r === n.column ? t.accent : t.faint
	})), e.numbers.forEach((r, i) => r.forEach((r, c) => {
		let u = r ?? NaN, d = r === null ? null : s(r), f = n.texts?.[i]?.[c] ?? null;
		m.push({
			kind: "box",
			x: l + c * o,
			y: p + i * a,
			width: o - 1,
			height: a - 1,
			fill: d ? ga(d) : t.soft,
			name: "cell",
			stroke: e.kind === "numbers" ? void 0 : t.line,
			thickness: .5,
			title: `${e.rows[i] ?? i} → ${e.columns[c] ?? c}: ${f === null ? "" : `${J(f)} `}${r === null ? "forbidden" : Y(u, 4)}`,
			touch: n.touch?.(i, c)
		});
		let h = f === null ? n.numbers !== !1 && e.kind !== "mask" && a >= 26 ? r === null ? "–" : Y(u, Math.abs(u) >= 10 ? 0 : a >= 30 && Math.abs(u) < 1 ? 2 : 1) : "" : kr(J(f), o - 6, 11);
		h && m.push({
			kind: "label",
			x: l + c * o + (o - 1) / 2,
			y: p + i * a + a / 2 + 3.5,
			anchor: "middle",
			text: h,
			size: f === null ? 10 : 11,
			fill: d ? _a(d) : t.faint,
			name: "unclickable"
		});
	}));
	let h = (e, n, r, i) => m.push({
		kind: "box",
		x: e,
		y: n,
		width: r,
		height: i,
		stroke: t.accent,
		thickness: 2,
		name: "unclickable"
	});
	n.row != null && n.row < r && h(l - 1, p + n.row * a - 1, i * o + 1, a + 1), n.column != null && n.column < i && h(l + n.column * o - 1, p - 1, o + 1, r * a + 1);
	let g = f ? l + 1.12 * Or(e.name, 13, !1) + 8 : 0;
	return {
		width: Math.max(l + i * o + 4, g),
		height: p + r * a + 6,
		marks: m
	};
}
function Ha(e, t, n = 26) {
	let r = [], [i, a, o, s] = [
		0,
		0,
		0,
		0
	];
	for (let c of e) i > 0 && i + c.width > t && (a += o + 18, i = o = 0), r.push(...c.marks.map((e) => Ua(e, i, a))), i += c.width + n, o = Math.max(o, c.height), s = Math.max(s, i - n);
	return {
		width: Math.max(1, s),
		height: a + o,
		marks: r
	};
}
function Ua(e, t, n) {
	if (e.kind !== "stroke") return {
		...e,
		x: e.x + t,
		y: e.y + n
	};
	let r = 0, i = !1, a = e.d.replace(/([A-Za-z])|(-?\d*\.?\d+(?:e-?\d+)?)/g, (e, a) => {
		if (a) return i = a === a.toLowerCase(), r = +(a === "V"), e;
		let o = i ? Number(e) : Number(e) + (r % 2 ? n : t);
		return r++, `${o} `;
	});
	return {
		...e,
		d: a
	};
}
function Wa(e) {
	return {
		caption: e.map((e) => e.name).join(", "),
		columns: [
			"matrix",
			"row",
			"column",
			"number"
		],
		rows: e.flatMap((e) => e.numbers.flatMap((t, n) => t.map((t, r) => [
			e.name,
			J(e.rows[n] ?? String(n)),
			J(e.columns[r] ?? String(r)),
			t ?? "forbidden"
		])))
	};
}
// src/views/inside/looks.ts
var Ga = (e) => e.task === "translate" || e.task === "generate", Ka = [
	{
		view: "alignment",
		title: "Alignment",
		says: "which source token each written token came from",
		applies: (e) => e.alignment !== null,
		grids: ["alignment"],
		python: ["print(answer.alignment)"]
	},
	{
		view: "importance",
		title: "Importance",
		says: "how fast the answer's loss changes as a head is turned down (Michel et al. 2019); click a head to open it",
		applies: (e) => Ga(e) || e.task === "classify" || e.task === "answer",
		grids: ["importance"],
		python: ["from regard.looking import Exam, importance  # docs/heads.md shows how an exam is made"]
	},
	{
		view: "rollout",
		title: "Rollout",
		says: "how much of each word reaches a token through all layers (Abnar and Zuidema 2020)",
		applies: (e) => e.places.some((e) => e.rows === e.columns),
		grids: ["own", "source"],
		python: ["from regard.looking import rollout", "print(rollout(seen).own[0])"]
	},
	{
		view: "lens",
		title: "Logit lens",
		says: "what the model would write if it stopped after each layer",
		applies: (e) => Ga(e) || e.task === "fill",
		grids: ["chances"],
		python: ["from regard.looking.lens import lens  # lens(model.model, ids), as docs/flow.md shows"]
	},
	{
		view: "diff",
		title: "Difference",
		says: "how far the edits moved each head: Jensen-Shannon divergence from the run before them, in bits",
		applies: (e) => e.difference !== null,
		grids: ["divergence"],
		python: ["from regard.looking import differences  # of what two watches saw, docs/differences.md"]
	}
], qa = {
	own: "of its own side",
	source: "of the source",
	chances: "likeliest word"
};
function Ja(e) {
	return {
		...e,
		name: qa[e.name] ?? e.name,
		rows: e.rows.map(q),
		columns: e.columns.map(q)
	};
}
function Ya() {
	let e = V.value, [t, n] = ka(), r = e ? Ka.filter((t) => t.applies(e)) : [], i = r.find((e) => e.view === z("look")) ?? r[0], a = i?.view === "diff" ? e?.difference?.base ?? null : null, o = Xi(e && i ? (t) => Yt.inside(e.id, i.view, a, t) : null, [e?.id, i?.view]), s = o.answer?.view === i?.view ? o.answer : null, c = Z.value, l = j(() => s && i ? s.grids.filter((e) => i.grids.includes(e.name)).map(Ja) : [], [s]), u = j(() => {
		let t = (t, n) => e?.places.some((e) => e.name === t.rows[n]) ?? !1;
		return Ha(l.map((e) => Va(e, c, {
			texts: e.notes.length ? e.notes : null,
			touch: (n, r) => ({
				enter: () => {
					let t = e.notes[n]?.[r], i = Y(e.numbers[n]?.[r] ?? 0, 4);
					rn.value = `${e.rows[n]} → ${e.columns[r]}: ${t === void 0 ? "" : `“${q(t)}” `}${i}`;
				},
				leave: () => rn.value = null,
				press: t(e, n) ? () => L({
					place: e.rows[n],
					head: r,
					view: "links"
				}) : void 0
			})
		})), Math.max(260, n - 40));
	}, [
		l,
		c,
		n
	]);
	return e ? i ? /* @__PURE__ */ K("div", {
		class: "stack",
		ref: t,
		children: [
			/* @__PURE__ */ K("div", {
				class: "row controls",
				children: /* @__PURE__ */ K(qn, {
					label: "Look",
					value: i.view,
					choose: (e) => R({ look: e }),
					options: r.map((e) => [e.view, e.title])
				})
			}),
			/* @__PURE__ */ K("p", {
				class: "faint small",
				children: i.says
			}),
			o.problem && /* @__PURE__ */ K(hr, { line: o.problem }),
			!s && !o.problem && /* @__PURE__ */ K(gr, { line: `Computing: ${i.title} …` }),
			s && /* @__PURE__ */ K("div", {
				class: "card",
				children: /* @__PURE__ */ K(ki, {
					title: i.title,
					of: [l],
					first: !0,
					make: () => ({
						title: i.title,
						scene: u,
						table: Wa(l),
						python: zi(i.python)
					}),
					legend: /* @__PURE__ */ K("p", {
						class: "faint small",
						children: s.facts.map((e) => `${e.name}: ${typeof e.value == "number" ? Y(e.value, 3) : String(e.value)}`).join(" · ")
					}),
					children: /* @__PURE__ */ K(Fi, {
						scene: u,
						label: i.title
					})
				})
			})
		]
	}) : /* @__PURE__ */ K(mr, { children: "Nothing can be measured of this run beyond its heads." }) : /* @__PURE__ */ K(yr, { children: "Run a text: this view then measures what the heads do together." });
}
// src/views/learn/lesson.ts
function Xa() {
	try {
		let e = JSON.parse(z("given") || "{}");
		return typeof e == "object" && e && !Array.isArray(e) ? e : {};
	} catch {
		return {};
	}
}
function Za(e) {
	R({ given: JSON.stringify({
		...Xa(),
		...e
	}) });
}
function Qa(e) {
	return Xi((t) => Yt.lesson(e, Xa(), t), [e, I.value.more.given ?? ""], 15);
}
function Q(e, t) {
	return e.grids.find((e) => e.name === t) ?? {
		name: t,
		kind: "numbers",
		rows: [],
		columns: [],
		numbers: [],
		notes: []
	};
}
var $a = (e, t) => e.facts.find((e) => e.name === t)?.value ?? void 0, eo = (e, t, n, r) => Q(e, t).numbers[n]?.[r] ?? NaN;
// src/views/learn/pieces.tsx
function to({ label: e, value: t, least: n, most: r, step: i = 1, set: a, shown: o }) {
	return /* @__PURE__ */ K("label", {
		class: "slider",
		children: [
			/* @__PURE__ */ K("span", { children: e }),
			/* @__PURE__ */ K("input", {
				type: "range",
				min: n,
				max: r,
				step: i,
				value: t,
				"aria-label": e,
				onInput: (e) => a(Number(e.currentTarget.value))
			}),
			/* @__PURE__ */ K("output", { children: o ?? t })
		]
	});
}
function no({ name: e, rows: t, columns: n, numbers: r, step: i = .5, set: a }) {
	return /* @__PURE__ */ K("table", {
		class: "typed",
		children: [
			/* @__PURE__ */ K("caption", { children: e }),
			/* @__PURE__ */ K("thead", { children: /* @__PURE__ */ K("tr", { children: [/* @__PURE__ */ K("td", {}), n.map((e, t) => /* @__PURE__ */ K("th", {
				scope: "col",
				children: e
			}, t))] }) }),
			/* @__PURE__ */ K("tbody", { children: r.map((o, s) => /* @__PURE__ */ K("tr", { children: [/* @__PURE__ */ K("th", {
				scope: "row",
				children: t[s]
			}), o.map((o, c) => /* @__PURE__ */ K("td", { children: /* @__PURE__ */ K("input", {
				type: "number",
				step: i,
				value: o,
				"aria-label": `${e}: ${t[s]}, ${n[c]}`,
				onInput: (e) => {
					let t = e.currentTarget.valueAsNumber;
					Number.isFinite(t) && a(r.map((e, n) => n === s ? e.map((e, n) => n === c ? t : e) : e));
				}
			}) }, c))] }, s)) })
		]
	});
}
function ro({ words: e, set: t }) {
	let [n, r] = k(null), i = (n, r) => {
		if (r < 0 || r >= e.length || n === r) return;
		let i = [...e];
		i.splice(r, 0, ...i.splice(n, 1)), t(i);
	};
	return /* @__PURE__ */ K("ol", {
		class: "movable",
		"aria-label": "Words; drag them, or use the arrow keys",
		children: e.map((e, t) => /* @__PURE__ */ K("li", {
			draggable: !0,
			tabIndex: 0,
			class: n === t ? "held" : void 0,
			"data-word": t,
			onDragStart: (n) => {
				r(t), n.dataTransfer?.setData("text/plain", e);
			},
			onDragOver: (e) => e.preventDefault(),
			onDragEnd: () => r(null),
			onDrop: (e) => {
				e.preventDefault(), n !== null && i(n, t), r(null);
			},
			onKeyDown: (e) => {
				if (e.key !== "ArrowLeft" && e.key !== "ArrowRight") return;
				e.preventDefault(), e.stopPropagation();
				let n = t + (e.key === "ArrowLeft" ? -1 : 1), r = e.currentTarget.parentElement;
				i(t, n), requestAnimationFrame(() => r?.querySelector(`[data-word="${n}"]`)?.focus());
			},
			children: e
		}, `${t}${e}`))
	});
}
function io({ title: e, scene: t, table: n, lesson: r, first: i }) {
	return /* @__PURE__ */ K(ki, {
		title: e,
		of: [n],
		first: i,
		make: () => ({
			title: e,
			scene: t,
			table: n,
			python: r.code
		}),
		children: /* @__PURE__ */ K(Fi, {
			scene: t,
			label: e
		})
	});
}
function ao({ lesson: e, names: t, title: n, looks: r = {}, first: i = !0 }) {
	let [a, o] = ka(700), s = Z.value, c = j(() => t.map((t) => Q(e, t)).filter((e) => e.numbers.length > 0), [e, t.join()]);
	return /* @__PURE__ */ K("div", {
		ref: a,
		children: /* @__PURE__ */ K(io, {
			title: n,
			scene: j(() => Ha(c.map((e) => Va(e, s, {
				touch: (t, n) => ({
					enter: () => rn.value = `${e.name} · ${e.rows[t] ?? t} → ${e.columns[n] ?? n}: ${e.numbers[t]?.[n] ?? "forbidden"}`,
					leave: () => rn.value = null
				}),
				...r[e.name]
			})), Math.max(280, o)), [
				c,
				s,
				o,
				r
			]),
			table: Wa(c),
			lesson: e,
			first: i
		})
	});
}
function oo({ step: e, steps: t, names: n, set: r }) {
	return /* @__PURE__ */ K("div", {
		class: "row stepper",
		children: [
			/* @__PURE__ */ K("button", {
				type: "button",
				class: "plain",
				disabled: e === 0,
				onClick: () => r(e - 1),
				children: "← Back"
			}),
			/* @__PURE__ */ K("span", {
				class: "dots",
				role: "group",
				"aria-label": "Steps",
				children: Array.from({ length: t }, (t, i) => /* @__PURE__ */ K("button", {
					type: "button",
					class: "dot",
					"aria-pressed": i === e,
					"aria-label": n[i],
					title: n[i],
					onClick: () => r(i)
				}, i))
			}),
			/* @__PURE__ */ K("button", {
				type: "button",
				class: "plain",
				disabled: e === t - 1,
				onClick: () => r(e + 1),
				children: "Next →"
			}),
			/* @__PURE__ */ K("b", { children: n[e] })
		]
	});
}
// src/views/learn/pages/alignment.tsx
function so({ lesson: e, give: t }) {
	let n = e.given.step, r = Q(e, "weights").rows.length;
	return /* @__PURE__ */ K(x, { children: [
		/* @__PURE__ */ K(to, {
			label: "Step",
			value: n,
			least: 0,
			most: Math.max(1, r - 1),
			set: (e) => t({ step: e }),
			shown: `${n} “${q(Q(e, "weights").rows[n] ?? "")}”`
		}),
		/* @__PURE__ */ K(to, {
			label: "Sharpness",
			value: e.given.sharpness,
			least: .5,
			most: 8,
			step: .1,
			set: (e) => t({ sharpness: e })
		}),
		/* @__PURE__ */ K(ao, {
			lesson: e,
			names: [
				"weights",
				"scores",
				"step weights",
				"context"
			],
			title: "The alignment so far, and this step",
			looks: { weights: { row: n } }
		})
	] });
}
var co = {
	topic: "alignment",
	title: "The first attention: a soft alignment",
	text: "A recurrent translator once had to squeeze a sentence into one vector. In 2014 it got an aligner: before each word it compares its state with every source word, v · tanh(W s + U h), and reads the mixture. Walk through the steps: the strong squares are the alignment.",
	Body: so,
	equation(e) {
		let t = Q(e, "step weights"), n = t.numbers[0] ?? [], r = n.indexOf(Math.max(...n.map((e) => e ?? 0)));
		return `context = Σ weight · state; the largest is ${Y(n[r] ?? 0)} on “${q(t.columns[r] ?? String($a(e, "source word") ?? ""))}”`;
	}
};
// src/views/learn/pages/animal.tsx
function lo({ lesson: e, give: t }) {
	let n = Q(e, "weights"), r = Q(e, "ranking"), i = n.numbers[0] ?? [], a = Math.max(1e-9, ...i.map((e) => e ?? 0)), o = r.numbers.slice(0, 12).map((e, t) => ({
		name: r.rows[t] ?? "",
		value: e[0] ?? 0,
		before: e[1] ?? 0,
		strong: t === 0
	})), s = Vi(o, Z.value, {
		width: 460,
		most: Math.max(.1, ...o.map((e) => Math.max(e.value, e.before ?? 0)))
	});
	return /* @__PURE__ */ K("div", {
		class: "stack",
		children: [
			/* @__PURE__ */ K(qn, {
				label: "The last word",
				value: String(e.given.word),
				choose: (e) => t({ word: e }),
				options: [["tired", "tired"], ["wide", "wide"]]
			}),
			/* @__PURE__ */ K("p", {
				class: "prose",
				"aria-label": "what “it” looks at",
				children: n.columns.map((e, t) => {
					let n = ma(Zr.value, (i[t] ?? 0) / a);
					return /* @__PURE__ */ K("span", {
						class: "word static",
						style: {
							backgroundColor: ga(n),
							color: _a(n)
						},
						title: Y(i[t] ?? 0, 3),
						children: q(e)
					}, t);
				})
			}),
			/* @__PURE__ */ K("p", {
				class: "faint small",
				children: [
					"What “it” looks at in ",
					String($a(e, "place")),
					", head ",
					String($a(e, "head")),
					". The rule that ranks the heads: ",
					String($a(e, "rule"))
				]
			}),
			/* @__PURE__ */ K(io, {
				title: "What “it” gives to the animal (filled) and to the road (framed), head by head",
				scene: s,
				table: Wa([r, n]),
				lesson: e,
				first: !0
			})
		]
	});
}
var uo = {
	topic: "animal",
	title: "What does “it” mean?",
	text: "The animal didn't cross the road because it was too tired: “it” is the animal. Too wide: “it” is the road. One word at the end decides. A model that reads both ways can let “it” look at the right noun. Swap the word, and see which heads of a real model care; most do not.",
	Body: lo,
	equation(e) {
		let t = Q(e, "ranking"), [n, r, i] = t.numbers[0] ?? [];
		return `${t.rows[0]}: it → animal ${Y(n ?? 0)}, it → road ${Y(r ?? 0)}, difference ${Y(i ?? 0)}`;
	}
};
// src/views/learn/pages/convolution.tsx
function fo({ lesson: e, give: t }) {
	let [n, r] = ka(700), i = e.given.image, a = e.given.kernel, o = Z.value, s = [
		"image",
		"kernel",
		"mask of the middle pixel",
		"by attention",
		"by convolution"
	].map((t) => Q(e, t)).filter((e) => e.numbers.length), c = j(() => Ha(s.map((e) => Va(e, o, {
		cell: 26,
		touch: e.name === "image" ? (e, n) => ({ press: () => t({ image: i.map((t, r) => r === e ? t.map((e, t) => t === n ? +!e : e) : t) }) }) : void 0
	})), Math.max(280, r)), [
		e,
		o,
		r
	]);
	return /* @__PURE__ */ K("div", {
		ref: n,
		class: "stack",
		children: [
			/* @__PURE__ */ K("p", {
				class: "faint small",
				children: "Click a pixel of the image to paint it; type another kernel."
			}),
			/* @__PURE__ */ K(no, {
				name: "Kernel",
				rows: [
					"↑",
					"·",
					"↓"
				],
				columns: [
					"←",
					"·",
					"→"
				],
				numbers: a,
				step: .25,
				set: (e) => t({ kernel: e })
			}),
			/* @__PURE__ */ K(io, {
				title: "An image, by attention and by convolution",
				scene: c,
				table: Wa(s),
				lesson: e,
				first: !0
			})
		]
	});
}
var po = {
	topic: "convolution",
	title: "A convolution is attention",
	text: "A kernel of 3 × 3 looks at nine neighbours, each with a fixed weight. Nine heads can do that: each looks at one neighbour, chosen by position alone, and the output projection weighs them. Paint the image: both pictures change alike.",
	Body: fo,
	equation: (e) => `largest difference between the two: ${Number($a(e, "largest difference")).toExponential(1)}`
};
// src/views/learn/pages/dense.tsx
function mo({ lesson: e, give: t }) {
	return /* @__PURE__ */ K(x, { children: [/* @__PURE__ */ K(to, {
		label: "Other random numbers",
		value: e.given.seed,
		least: 0,
		most: 20,
		set: (e) => t({ seed: e })
	}), /* @__PURE__ */ K(ao, {
		lesson: e,
		names: [
			"x",
			"mask",
			"gathered",
			"weights",
			"by attention",
			"by layer"
		],
		title: "The same numbers by attention and by a fully connected layer"
	})] });
}
var ho = {
	topic: "dense",
	title: "A fully connected layer is attention",
	text: "In a fully connected layer every output sees every input, with weights that never change. Attention can do the same: let each head look at exactly one place, and the output projection hold the layer's weights. Both give the same numbers.",
	Body: mo,
	equation: (e) => `largest difference between the two: ${Number($a(e, "largest difference")).toExponential(1)}`
}, go = 340, _o = 1.5, vo = ([e, t]) => [go / 2 + (e ?? 0) / _o * (go / 2 - 24), go / 2 - (t ?? 0) / _o * (go / 2 - 24)], yo = (e) => ga([
	0,
	1,
	2
].map((t) => Math.round(255 * Math.min(1, Math.max(0, e[t] ?? 0)))));
function bo(e) {
	let t = Z.value, [n, r, i, a] = [
		Q(e, "keys"),
		Q(e, "values"),
		Q(e, "weights"),
		Q(e, "found")
	], o = vo(e.given.query), s = [{
		kind: "box",
		x: .5,
		y: .5,
		width: 339,
		height: 339,
		stroke: t.line,
		round: 10,
		fill: t.paper
	}, {
		kind: "stroke",
		d: `M${go / 2} 10V330M10 ${go / 2}H330`,
		stroke: t.line
	}];
	return n.numbers.forEach((e, a) => {
		let [c, l] = vo(e), u = i.numbers[0]?.[a] ?? 0;
		s.push({
			kind: "stroke",
			d: `M${o[0]} ${o[1]}L${c} ${l}`,
			stroke: t.accent,
			thickness: 1 + 10 * u,
			opacity: .15 + .6 * u
		}), s.push({
			kind: "box",
			x: c - 10,
			y: l - 10,
			width: 20,
			height: 20,
			round: 5,
			fill: yo(r.numbers[a] ?? []),
			stroke: t.ink,
			title: `${n.rows[a]}: weight ${Y(u, 3)}`
		});
		let d = `${J(n.rows[a] ?? String(a))} ${Y(u)}`, f = c + 15 + Or(d, 12, !1) < go;
		s.push({
			kind: "label",
			x: f ? c + 15 : c,
			y: f ? l + 4 : l + 26,
			anchor: f ? "start" : "middle",
			text: d,
			size: 12,
			fill: t.ink
		});
	}), s.push({
		kind: "box",
		x: o[0] - 9,
		y: o[1] - 9,
		width: 18,
		height: 18,
		round: 9,
		fill: yo(a.numbers[0] ?? []),
		stroke: t.accent,
		thickness: 3,
		name: "query"
	}), s.push({
		kind: "label",
		x: o[0],
		y: o[1] + 24,
		anchor: "middle",
		text: "the query",
		size: 12,
		bold: !0,
		fill: t.accent
	}), {
		width: go,
		height: go,
		marks: s
	};
}
function xo({ lesson: e, give: t }) {
	let n = Me(null), r = bo(e), i = e.given.query, a = (e) => {
		if (!(e.buttons & 1)) return;
		let r = n.current.querySelector("svg").getBoundingClientRect(), i = ((e.clientX - r.left) / r.width - .5) * (go / (go / 2 - 24)) * _o, a = (.5 - (e.clientY - r.top) / r.height) * (go / (go / 2 - 24)) * _o, o = (e) => Number(Math.max(-1.5, Math.min(_o, e)).toFixed(2));
		t({ query: [o(i), o(a)] });
	}, o = (e) => {
		let n = {
			ArrowLeft: [-.1, 0],
			ArrowRight: [.1, 0],
			ArrowUp: [0, .1],
			ArrowDown: [0, -.1]
		}[e.key];
		n && (e.preventDefault(), t({ query: i.map((e, t) => Number((e + n[t]).toFixed(2))) }));
	}, s = "A query among the keys; the colour is what it finds";
	return /* @__PURE__ */ K("div", {
		class: "stack",
		children: [/* @__PURE__ */ K(to, {
			label: "How strict the match is",
			value: e.given.scale,
			least: 0,
			most: 8,
			step: .1,
			set: (e) => t({ scale: e })
		}), /* @__PURE__ */ K(ki, {
			title: s,
			of: [e],
			first: !0,
			make: () => ({
				title: s,
				scene: r,
				table: Wa(e.grids),
				python: e.code
			}),
			children: /* @__PURE__ */ K("div", {
				ref: n,
				class: "plane",
				tabIndex: 0,
				role: "application",
				"aria-label": "Drag the query, or use the arrow keys",
				onPointerDown: a,
				onPointerMove: a,
				onKeyDown: o,
				children: /* @__PURE__ */ K(Fi, {
					scene: r,
					label: s
				})
			})
		})]
	});
}
var So = {
	topic: "dictionary",
	title: "A dictionary that answers softly",
	text: "A file cabinet: every folder has a label (the key) and holds something (the value). An ordinary dictionary opens one folder. Attention opens all of them, each as far as its label matches what you ask for (the query), and hands you the mixture. Drag the query.",
	Body: xo,
	equation(e) {
		let [t, n, r] = [
			Q(e, "weights"),
			Q(e, "values"),
			Q(e, "found")
		];
		return `found = ${(t.numbers[0] ?? []).map((e, t) => `${Y(e ?? 0)} · ${J(n.rows[t] ?? `value ${t}`)}`).join(" + ")} = (${(r.numbers[0] ?? []).map((e) => Y(e ?? 0)).join(", ")})`;
	}
}, Co = 280;
function wo(e, t, n, r) {
	let i = Z.value, a = (t) => {
		let n = 2 * Math.PI * t / e.length - Math.PI / 2;
		return [Co / 2 + (Co / 2 - 44) * Math.cos(n), Co / 2 + (Co / 2 - 44) * Math.sin(n)];
	}, o = t.filter(([e, t]) => e !== t && a(e) && a(t)).map(([t, n]) => {
		let [[r, o], [s, c]] = [a(t), a(n)], l = Math.hypot(s - r, c - o) || 1, [u, d] = [(s - r) / l, (c - o) / l], [f, p] = [s - 20 * u, c - 20 * d];
		return {
			kind: "stroke",
			d: `M${r + 18 * u} ${o + 18 * d}L${f} ${p}M${f - 8 * u + 5 * d} ${p - 8 * d - 5 * u}L${f} ${p}L${f - 8 * u - 5 * d} ${p - 8 * d + 5 * u}`,
			stroke: i.accent,
			thickness: 1.6,
			title: `${e[t]} may look at ${e[n]}`
		};
	});
	return e.forEach((e, t) => {
		let [s, c] = a(t);
		o.push({
			kind: "box",
			x: s - 17,
			y: c - 17,
			width: 34,
			height: 34,
			round: 17,
			fill: n === t ? i.accent : i.soft,
			stroke: i.accent,
			title: `${e}: click, then click whom it may look at`,
			touch: { press: () => r(t) },
			name: "node"
		}), o.push({
			kind: "label",
			x: s,
			y: c + 4,
			anchor: "middle",
			text: e,
			size: 12,
			fill: n === t ? i.paper : i.ink,
			name: "unclickable"
		});
	}), {
		width: Co,
		height: Co,
		marks: o
	};
}
function To({ lesson: e, give: t }) {
	let [n, r] = ka(700), [i, a] = k(null), o = e.given.nodes, s = e.given.edges, c = (e) => {
		if (i === null) return a(e);
		a(null), t({ edges: s.some(([t, n]) => t === i && n === e) ? s.filter(([t, n]) => t !== i || n !== e) : [...s, [i, e]] });
	}, l = Z.value, u = [
		"mask",
		"weights",
		"reach"
	].map((t) => Q(e, t)).filter((e) => e.numbers.length), d = Ha([wo(o, s, i, c), ...u.map((e) => Va(e, l, { cell: 28 }))], Math.max(280, r));
	return /* @__PURE__ */ K("div", {
		ref: n,
		class: "stack",
		children: [
			/* @__PURE__ */ K(to, {
				label: "Layers on top of each other",
				value: e.given.steps,
				least: 1,
				most: 6,
				set: (e) => t({ steps: e })
			}),
			/* @__PURE__ */ K("p", {
				class: "faint small",
				children: i === null ? "Click a node, then the one it shall look at; again to take the arrow away." : `${o[i]} shall look at …`
			}),
			/* @__PURE__ */ K(io, {
				title: "A graph, as the mask that it is",
				scene: d,
				table: Wa(u),
				lesson: e,
				first: !0
			})
		]
	});
}
var Eo = {
	topic: "graph",
	title: "A graph is a mask",
	text: "If nodes may look only at their neighbours, attention becomes a network on a graph: the mask is the table of edges. One layer reaches the neighbours, two reach their neighbours. Draw an edge, add a layer, and see how far a node hears.",
	Body: To,
	equation: (e) => `${rr(e.given.edges.length)} edges, ${e.given.steps} layers: whatever is reached in ${e.given.steps} steps can change a node`
}, Do = [
	"Every word is a row of numbers",
	"Queries, keys and values of all heads at once",
	"Each head takes its own columns",
	"Each head compares its queries with its keys",
	"Each head gathers values with its weights",
	"The heads stand side by side again",
	"W_O mixes what they found"
];
function Oo(e, t) {
	let n = Q(e, "x").numbers.length, r = Q(e, "x").numbers[0]?.length ?? 0, i = e.given.heads, a = r / i, o = n * 16 + 34, s = [], c = [], l = (e) => e * (3 * a * 16 + n * 16 + 100), u = (t, n, r, i, a, o = "numbers", c = t) => {
		let l = Q(e, t);
		l.numbers.forEach((e, u) => e.forEach((e, d) => s.push({
			key: `${c}/${u}/${d}`,
			x: n(u, d),
			y: r(u, d),
			value: e ?? 0,
			size: 16,
			kind: o,
			head: a(d),
			seen: i,
			title: `${t}, ${q(l.rows[u] ?? String(u))}: ${Y(e ?? 0, 3)}`
		})));
	}, d = (e) => Math.floor(e / a), f = t < 1, p = t >= 2, m = i * a * 16 + 20;
	u("x", (e, t) => t * 16, (e) => 30 + e * 16, t <= 1, () => null), t <= 1 && c.push({
		x: 0,
		y: 22,
		text: "X",
		head: null
	}), [
		"queries",
		"keys",
		"values"
	].forEach((e, n) => {
		let r = (e) => (1 + n) * m + e * 16, o = (e) => l(d(e)) + n * (a * 16 + 20) + e % a * 16;
		if (u(e, (e, t) => p ? o(t) : f ? t * 16 : r(t), (e) => 30 + e * 16, t >= 1 && t <= 4, (e) => t >= 1 ? d(e) : null), t === 1 && c.push({
			x: r(0),
			y: 22,
			text: e,
			head: null
		}), p && t <= 4) for (let t = 0; t < i; t++) c.push({
			x: l(t) + n * (a * 16 + 20),
			y: 22,
			text: e[0].toUpperCase(),
			head: t
		});
	});
	for (let e = 0; e < i; e++) {
		let n = l(e) + 3 * (a * 16 + 20), r = l(e);
		u(`weights ${e}`, (e, i) => t < 3 ? r + i * 2 : n + i * 16, (e) => 30 + e * 16, t === 3 || t === 4, () => e, "weights"), (t === 3 || t === 4) && c.push({
			x: n,
			y: 22,
			text: "weights",
			head: e
		});
		let i = l(e) + 2 * (a * 16 + 20), s = l(e) + a * 16, d = e * a * 16;
		u(`gathered ${e}`, (e, n) => t < 4 ? i + n * 16 : t === 4 ? s + n * 16 : d + n * 16, (e) => (t < 4 ? 30 : t === 4 ? 30 + o : 30) + e * 16, t >= 4, () => e), t === 4 && c.push({
			x: s,
			y: 30 + o - 8,
			text: "gathered",
			head: e
		});
	}
	t >= 5 && c.push({
		x: 0,
		y: 22,
		text: "joined",
		head: null
	}), u("output weights", (e, t) => i * a * 16 + 40 + t * 16, (e) => 30 + e * 16, t === 6, () => null), u("output", (e, n) => t === 6 ? 2 * i * a * 16 + 80 + n * 16 : n * 16, (e) => 30 + e * 16, t === 6, () => null), t === 6 && (c.push({
		x: i * a * 16 + 40,
		y: 22,
		text: "× W_O",
		head: null
	}), c.push({
		x: 2 * i * a * 16 + 80,
		y: 22,
		text: "= output",
		head: null
	}));
	let h = s.filter((e) => e.seen);
	return {
		squares: s,
		labels: c,
		width: Math.max(120, ...h.map((e) => e.x + e.size)) + 8,
		height: Math.max(80, ...h.map((e) => e.y + e.size)) + 12
	};
}
function ko(e) {
	let t = Math.max(1e-9, ...e.grids.filter((e) => e.kind === "numbers").flatMap((e) => e.numbers.flat().map((e) => Math.abs(e ?? 0)))), n = Z.value.theme;
	return (e) => ga(e.kind === "weights" ? ma(n, e.value) : ha(n, e.value / t));
}
function Ao(e, t) {
	let n = ko(e), r = t.squares.filter((e) => e.seen).map((e) => ({
		kind: "box",
		x: e.x,
		y: e.y,
		width: e.size - 1,
		height: e.size - 1,
		fill: n(e),
		stroke: e.head === null ? Z.value.line : ba(e.head),
		thickness: .8,
		title: e.title
	}));
	for (let e of t.labels) r.push({
		kind: "label",
		x: e.x,
		y: e.y,
		text: e.text,
		size: 12,
		bold: !0,
		fill: e.head === null ? Z.value.ink : ba(e.head)
	});
	return {
		width: t.width,
		height: t.height,
		marks: r
	};
}
function jo({ lesson: e, give: t }) {
	let [n, r] = ka(700), i = zt("step", 0, 0, Do.length - 1), [a, o] = k(!1), s = (e) => R({ step: e ? String(e) : "" });
	A(() => {
		if (!a) return;
		let e = setTimeout(() => i < Do.length - 1 ? s(i + 1) : o(!1), 1500);
		return () => clearTimeout(e);
	}, [a, i]);
	let c = j(() => Oo(e, i), [e, i]), l = ko(e), u = Z.value, d = ti(250), f = Do[i], p = Math.min(1.6, Math.max(.5, (r - 4) / c.width));
	return /* @__PURE__ */ K("div", {
		class: "stack",
		ref: n,
		children: [
			/* @__PURE__ */ K("div", {
				class: "row",
				children: [/* @__PURE__ */ K(qn, {
					label: "Heads",
					value: String(e.given.heads),
					choose: (e) => t({ heads: Number(e) }),
					options: [
						["1", "1 head"],
						["2", "2 heads"],
						["4", "4 heads"]
					]
				}), /* @__PURE__ */ K("button", {
					type: "button",
					class: "main",
					onClick: () => {
						i === Do.length - 1 && s(0), o(!a);
					},
					children: a ? "Pause" : "Play"
				})]
			}),
			/* @__PURE__ */ K(oo, {
				step: i,
				steps: Do.length,
				names: Do,
				set: (e) => {
					o(!1), s(e);
				}
			}),
			/* @__PURE__ */ K(ki, {
				title: f,
				of: [e],
				first: !0,
				make: () => ({
					title: f,
					scene: Ao(e, c),
					table: Wa(e.grids),
					python: e.code
				}),
				children: /* @__PURE__ */ K("svg", {
					class: "drawing",
					role: "img",
					"aria-label": f,
					width: c.width * p,
					height: c.height * p,
					viewBox: `0 0 ${c.width} ${c.height}`,
					children: [c.squares.map((e) => /* @__PURE__ */ K("rect", {
						width: e.size - 1,
						height: e.size - 1,
						fill: l(e),
						stroke: e.head === null ? u.line : ba(e.head),
						"stroke-width": .8,
						style: {
							transform: `translate(${e.x}px, ${e.y}px)`,
							opacity: +!!e.seen,
							transition: d ? `transform ${d * 2.4}ms ease, opacity ${d}ms` : "none",
							pointerEvents: e.seen ? "auto" : "none"
						},
						children: /* @__PURE__ */ K("title", { children: e.title })
					}, e.key)), c.labels.map((e, t) => /* @__PURE__ */ K("text", {
						x: e.x,
						y: e.y,
						"font-size": 12,
						"font-weight": 600,
						fill: e.head === null ? u.ink : ba(e.head),
						children: e.text
					}, t))]
				})
			})
		]
	});
}
var Mo = {
	topic: "heads",
	title: "Several heads at once",
	text: "One softmax can stress one thing at a time. So the width is split: each head takes some of the columns as its own queries, keys and values, attends by itself, and its findings are put side by side; a last matrix, W_O, mixes them. Play it: these are the real numbers.",
	Body: jo,
	equation: (e) => `first word, first head: weight on itself ${Y(eo(e, "weights 0", 0, 0))}; ${Q(e, "x").numbers[0]?.length} columns = ${e.given.heads} heads × ${(Q(e, "x").numbers[0]?.length ?? 0) / e.given.heads}`
}, No = [
	"none",
	"causal",
	"padding",
	"causal and padding",
	"window"
];
function Po({ lesson: e, give: t }) {
	let n = e.given.words, r = String(e.given.mask);
	return /* @__PURE__ */ K(x, { children: [
		/* @__PURE__ */ K(qn, {
			label: "Mask",
			value: r,
			choose: (e) => t({ mask: e }),
			options: No.map((e) => [e, e])
		}),
		r.includes("padding") && /* @__PURE__ */ K(to, {
			label: "How many words are real",
			value: e.given.real,
			least: 1,
			most: n.length,
			set: (e) => t({ real: e })
		}),
		r === "window" && /* @__PURE__ */ K(to, {
			label: "How far a word may look",
			value: e.given.window,
			least: 0,
			most: n.length - 1,
			set: (e) => t({ window: e })
		}),
		/* @__PURE__ */ K(ao, {
			lesson: e,
			names: [
				"mask",
				"scores",
				"weights"
			],
			title: "What may be looked at, the scores, the weights"
		})
	] });
}
var Fo = {
	topic: "masks",
	title: "Masks: what may not be seen",
	text: "A mask says which pairs are forbidden; their weights are exactly zero, and the others share the row. Causal: a word that is being written may not look ahead. Padding: places that only fill up a batch are nobody's business. Choose one.",
	Body: Po,
	equation(e) {
		let t = Q(e, "weights"), n = t.numbers[1] ?? t.numbers[0] ?? [];
		return `row “${t.rows[1] ?? t.rows[0]}”: ${n.map((e) => Y(e ?? 0)).join(" + ")} = 1`;
	}
};
// src/views/learn/pages/match.tsx
function Io({ lesson: e, give: t }) {
	let [n, r] = [Q(e, "tastes"), Q(e, "contents")];
	return /* @__PURE__ */ K(x, { children: [/* @__PURE__ */ K("div", {
		class: "row top-aligned",
		children: [/* @__PURE__ */ K(no, {
			name: "What each viewer likes",
			rows: n.rows,
			columns: n.columns,
			numbers: e.given.tastes,
			set: (e) => t({ tastes: e })
		}), /* @__PURE__ */ K(no, {
			name: "What each film has",
			rows: r.rows,
			columns: r.columns,
			numbers: e.given.contents,
			set: (e) => t({ contents: e })
		})]
	}), /* @__PURE__ */ K(ao, {
		lesson: e,
		names: ["scores", "weights"],
		title: "How well each film matches each viewer"
	})] });
}
var Lo = {
	topic: "match",
	title: "A dot product is a match",
	text: "A viewer is a list of likings, a film a list of what it has. Multiply them place by place and add up: a large sum says that they fit. That sum is the score of attention; the viewer is the query, the film the key. Change a liking and watch the row move.",
	Body: Io,
	equation(e) {
		let [t, n, r] = [
			Q(e, "tastes"),
			Q(e, "contents"),
			Q(e, "scores")
		], i = (t.numbers[0] ?? []).map((e, t) => `${Y(e, 1)} × ${Y(n.numbers[0]?.[t] ?? 0, 1)}`);
		return `${t.rows[0]} · ${n.rows[0]} = ${i.join(" + ")} = ${Y(r.numbers[0]?.[0] ?? 0)}`;
	}
}, Ro = [
	{
		name: "The words are rows of numbers",
		grids: ["x"],
		says: "X"
	},
	{
		name: "Three matrices turn each word into a query, a key and a value",
		grids: [
			"x",
			"query weights",
			"key weights",
			"value weights",
			"queries",
			"keys",
			"values"
		],
		says: "Q = X W_Q,  K = X W_K,  V = X W_V"
	},
	{
		name: "Every query meets every key",
		grids: [
			"queries",
			"keys",
			"scores"
		],
		says: "Q Kᵀ"
	},
	{
		name: "Scores are divided by the root of the width",
		grids: ["scores", "scaled"],
		says: "Q Kᵀ / √d"
	},
	{
		name: "Softmax makes each row add up to one",
		grids: ["scaled", "weights"],
		says: "softmax(Q Kᵀ / √d)"
	},
	{
		name: "Each row of weights mixes the values",
		grids: [
			"weights",
			"values",
			"output"
		],
		says: "softmax(Q Kᵀ / √d) V"
	}
], zo = () => zt("step", 0, 0, Ro.length - 1);
function Bo({ lesson: e, give: t }) {
	let n = zo(), r = Q(e, "x");
	return /* @__PURE__ */ K(x, { children: [
		/* @__PURE__ */ K(oo, {
			step: n,
			steps: Ro.length,
			names: Ro.map((e) => e.name),
			set: (e) => R({ step: e ? String(e) : "" })
		}),
		/* @__PURE__ */ K(ao, {
			lesson: e,
			names: Ro[n].grids,
			title: Ro[n].says,
			looks: {}
		}),
		n === 0 && /* @__PURE__ */ K(no, {
			name: "X, to change",
			rows: r.rows,
			columns: r.columns,
			numbers: e.given.x,
			set: (e) => t({ x: e })
		})
	] });
}
var Vo = {
	topic: "matrix",
	title: "The whole of it as matrices",
	text: "All queries at once are a matrix, and so are the keys and the values. Two products and a softmax are all of attention. Walk through the steps: every coloured square is a number that you can point at; change X and walk again.",
	Body: Bo,
	equation(e) {
		let t = Q(e, "queries").numbers[0]?.length ?? 2;
		return `first square of ${Ro[zo()].says}: score ${Y(eo(e, "scores", 0, 0))} / √${t} = ${Y(eo(e, "scaled", 0, 0))}, weight ${Y(eo(e, "weights", 0, 0))}`;
	}
};
// src/views/learn/pages/memory.tsx
function Ho({ lesson: e, give: t }) {
	let n = e.given.story, [r, i] = k(Array.isArray(n) ? n.join("\n") : String(n)), [a, o] = k(String(e.given.question)), s = () => t({
		story: Array.isArray(n) ? r.split("\n").filter((e) => e.trim()) : r,
		question: a
	});
	return /* @__PURE__ */ K(x, { children: [
		/* @__PURE__ */ K("form", {
			class: "stack",
			onSubmit: (e) => {
				e.preventDefault(), s();
			},
			children: [/* @__PURE__ */ K("textarea", {
				class: "story",
				rows: 5,
				"aria-label": "Story",
				value: r,
				onInput: (e) => i(e.currentTarget.value)
			}), /* @__PURE__ */ K("div", {
				class: "row",
				children: [/* @__PURE__ */ K("input", {
					type: "text",
					class: "wide",
					"aria-label": "Question",
					value: a,
					onInput: (e) => o(e.currentTarget.value)
				}), /* @__PURE__ */ K("button", {
					type: "submit",
					class: "main",
					children: "Ask"
				})]
			})]
		}),
		/* @__PURE__ */ K("p", {
			class: "answer",
			"data-answer": !0,
			children: [
				String($a(e, "answer")),
				" ",
				/* @__PURE__ */ K("span", {
					class: "faint small",
					children: ["probability ", Y(Number($a(e, "probability")))]
				})
			]
		}),
		/* @__PURE__ */ K(ao, {
			lesson: e,
			names: ["hops"],
			title: "Which sentence each hop reads"
		})
	] });
}
var Uo = {
	topic: "memory",
	title: "Hops through a story",
	text: "A memory network keeps every sentence as a key and a value. The question looks for the sentence that helps, adds what it found, and looks again. Each look is a hop: the first finds who holds the thing, the next where that person went. Change the story and ask.",
	Body: Ho,
	equation(e) {
		let t = e.facts.filter((e) => e.name.startsWith("hop ")), n = Q(e, "hops").columns.length;
		return t.length ? t.map((e) => `${e.name}: ${e.value}`).join("  →  ") : `${n} hops`;
	}
}, Wo = [
	"none",
	"sinusoidal",
	"learned",
	"rotary",
	"alibi",
	"buckets"
];
function Go({ lesson: e, give: t }) {
	let n = e.given.words, r = e.given.other;
	return /* @__PURE__ */ K(x, { children: [
		/* @__PURE__ */ K("div", {
			class: "row",
			children: /* @__PURE__ */ K("span", {
				class: "faint",
				children: n.join(" ")
			})
		}),
		/* @__PURE__ */ K(ro, {
			words: r,
			set: (e) => t({ other: e })
		}),
		/* @__PURE__ */ K(qn, {
			label: "Position",
			value: String(e.given.position),
			choose: (e) => t({ position: e }),
			options: Wo.map((e) => [e, e])
		}),
		/* @__PURE__ */ K("p", {
			class: $a(e, "same") ? "verdict same" : "verdict",
			"data-same": String($a(e, "same")),
			children: $a(e, "same") ? "Every word gets the same output in both sentences: the model cannot tell who gave roses to whom." : "The outputs differ: the model can tell the two sentences apart."
		}),
		/* @__PURE__ */ K(ao, {
			lesson: e,
			names: [
				"weights",
				"other weights",
				"output",
				"other output"
			],
			title: "Weights and outputs, before and after the words moved"
		})
	] });
}
var Ko = {
	topic: "order",
	title: "Who gave roses to whom?",
	text: "Susan gave roses to Mary, Mary gave roses to Susan. Attention by itself sees a bag of words: move them, and each word still gets the same output. Only positions, added to the words or to the scores, make the order count. Drag the words, then choose a position.",
	Body: Go,
	equation: (e) => `attention(moved words) = moved attention(words): ${$a(e, "same") ? "true" : "false"} with position “${e.given.position}”`
};
// src/views/learn/pages/segments.tsx
function qo({ lesson: e, give: t }) {
	let n = Math.max(9, Math.min(22, Math.floor(300 / e.given.length)));
	return /* @__PURE__ */ K(x, { children: [/* @__PURE__ */ K("div", {
		class: "sliders",
		children: [
			/* @__PURE__ */ K(to, {
				label: "Words",
				value: e.given.length,
				least: 4,
				most: 32,
				set: (e) => t({ length: e })
			}),
			/* @__PURE__ */ K(to, {
				label: "Words in a segment",
				value: e.given.segment,
				least: 1,
				most: 16,
				set: (e) => t({ segment: e })
			}),
			/* @__PURE__ */ K(to, {
				label: "Words remembered",
				value: e.given.memory,
				least: 0,
				most: 32,
				set: (e) => t({ memory: e })
			})
		]
	}), /* @__PURE__ */ K(ao, {
		lesson: e,
		names: [
			"mask",
			"weights",
			"felt"
		],
		title: "What each word may look at, looks at, and is reached by",
		looks: {
			mask: { cell: n },
			weights: {
				cell: n,
				numbers: !1
			},
			felt: {
				cell: n,
				numbers: !1
			}
		}
	})] });
}
var Jo = {
	topic: "segments",
	title: "Segments with a memory",
	text: "A long text is read in segments; without more, a word at the border of one sees nothing before it. Transformer-XL keeps the states of the last segment as a memory to look at, and counts distance instead of places. Layer upon layer, a word then hears from far beyond its segment.",
	Body: qo,
	equation: (e) => `the farthest word that reaches the last one: ${$a(e, "farthest")} words back`
};
// src/views/learn/pages/softmax.tsx
function Yo({ lesson: e, give: t }) {
	let [n, r] = ka(560), i = e.given.scores, a = e.given.temperature, o = Q(e, "weights"), s = Vi((o.numbers[0] ?? []).map((t, n) => ({
		name: o.columns[n] ?? "",
		value: t ?? 0,
		strong: o.columns[n] === $a(e, "largest")
	})), Z.value, {
		width: Math.min(640, Math.max(280, r)),
		digits: 3
	});
	return /* @__PURE__ */ K("div", {
		ref: n,
		class: "stack",
		children: [
			/* @__PURE__ */ K(to, {
				label: "Temperature",
				value: Math.round(Math.log2(a) * 10) / 10,
				least: -3,
				most: 4,
				step: .1,
				shown: Y(a),
				set: (e) => t({ temperature: Number((2 ** e).toFixed(3)) })
			}),
			/* @__PURE__ */ K("div", {
				class: "sliders",
				children: i.map((e, n) => /* @__PURE__ */ K(to, {
					label: `score of ${o.columns[n]}`,
					value: e,
					least: -5,
					most: 5,
					step: .1,
					set: (e) => t({ scores: i.map((t, r) => r === n ? e : t) })
				}, n))
			}),
			/* @__PURE__ */ K(io, {
				title: "The weights: positive, and together one",
				scene: s,
				table: Wa([o]),
				lesson: e,
				first: !0
			})
		]
	});
}
// src/views/learn/view.tsx
var Xo = [
	Lo,
	{
		topic: "softmax",
		title: "Softmax, and its temperature",
		text: "Scores may be any numbers; weights must be positive and add up to one. Softmax raises e to each score and divides by the sum. A temperature divides the scores first: cold, and the largest takes all; hot, and all become equal. Move the slider.",
		Body: Yo,
		equation(e) {
			let t = e.given.scores, n = e.given.temperature, r = Q(e, "weights").numbers[0] ?? [], i = r.indexOf(Math.max(...r.map((e) => e ?? 0)));
			return `exp(${Y(t[i] ?? 0, 1)} / ${Y(n)}) ÷ (${t.map((e) => `exp(${Y(e, 1)} / ${Y(n)})`).join(" + ")}) = ${Y(r[i] ?? 0, 3)}`;
		}
	},
	So,
	Vo,
	Mo,
	uo,
	Ko,
	Fo,
	Eo,
	ho,
	po,
	co,
	Uo,
	Jo
];
function Zo(e) {
	let { given: t, step: n, ...r } = I.peek().more;
	L({ more: {
		...r,
		topic: e
	} });
}
var Qo = (e) => e === "by hand" ? "weights made by hand, to be easy to read" : e === "random" ? "random weights: nothing was learned" : `a real model: ${e}`;
function $o({ page: e }) {
	let { answer: t, problem: n, busy: r } = Qa(e.topic), i = t?.topic === e.topic ? t : null;
	if (n) return /* @__PURE__ */ K(hr, { line: n });
	if (!i) return /* @__PURE__ */ K(gr, { line: "Asking the library for the numbers …" });
	let a = e.Body;
	return /* @__PURE__ */ K("div", {
		class: "stack",
		"data-topic": e.topic,
		"data-busy": r,
		children: [
			/* @__PURE__ */ K("p", {
				class: "made",
				"data-made": !0,
				children: Qo(i.made)
			}),
			/* @__PURE__ */ K(a, {
				lesson: i,
				give: Za
			}),
			/* @__PURE__ */ K("p", {
				class: "equation",
				"data-equation": !0,
				children: e.equation(i)
			}),
			/* @__PURE__ */ K("details", {
				class: "source",
				children: [
					/* @__PURE__ */ K("summary", { children: "The code that made it" }),
					/* @__PURE__ */ K("pre", {
						class: "code",
						children: i.code
					}),
					/* @__PURE__ */ K("button", {
						type: "button",
						class: "plain",
						onClick: () => void Ti(i.code, "Python"),
						children: "Copy"
					})
				]
			})
		]
	});
}
function es() {
	let e = Xi((e) => Yt.topics(e), []), t = Xo.filter((t) => e.answer?.topics.some((e) => e.topic === t.topic));
	if (e.problem) return /* @__PURE__ */ K(hr, { line: e.problem });
	if (!e.answer) return /* @__PURE__ */ K(gr, { line: "Asking which pages there are …" });
	let n = Math.max(0, t.findIndex((e) => e.topic === z("topic"))), r = t[n];
	if (!r) return /* @__PURE__ */ K(hr, { line: "This server teaches nothing." });
	let i = t[n + 1];
	return /* @__PURE__ */ K("div", {
		class: "learn",
		children: [/* @__PURE__ */ K("nav", {
			class: "contents",
			"aria-label": "Pages of Learn",
			children: /* @__PURE__ */ K("ol", { children: t.map((e) => /* @__PURE__ */ K("li", { children: /* @__PURE__ */ K("button", {
				type: "button",
				"aria-current": e === r ? "page" : void 0,
				"data-page": e.topic,
				onClick: () => Zo(e.topic),
				children: e.title
			}) }, e.topic)) })
		}), /* @__PURE__ */ K("article", {
			class: "card stack lesson",
			children: [
				/* @__PURE__ */ K("h2", {
					class: "large-title",
					children: r.title
				}),
				/* @__PURE__ */ K("p", {
					class: "measure",
					children: r.text
				}),
				/* @__PURE__ */ K($o, { page: r }, r.topic),
				i && /* @__PURE__ */ K("div", { children: /* @__PURE__ */ K("button", {
					type: "button",
					class: "plain",
					onClick: () => Zo(i.topic),
					children: [
						"Next: ",
						i.title,
						" →"
					]
				}) })
			]
		})]
	});
}
// node_modules/d3-path/dist/d3-path.mjs
var ts = Math.PI, ns = 2 * ts, rs = 1e-6, is = ns - rs;
function as(e) {
	this._ += e[0];
	for (let t = 1, n = e.length; t < n; ++t) this._ += arguments[t] + e[t];
}
function os(e) {
	let t = Math.floor(e);
	if (!(t >= 0)) throw Error(`invalid digits: ${e}`);
	if (t > 15) return as;
	let n = 10 ** t;
	return function(e) {
		this._ += e[0];
		for (let t = 1, r = e.length; t < r; ++t) this._ += Math.round(arguments[t] * n) / n + e[t];
	};
}
function ss(e, t, n, r) {
	return e === n && t === r;
}
function cs(e) {
	let t = Math.floor(e);
	if (!(t <= 15)) return ss;
	let n = 10 ** t, r = function(e) {
		return Math.round(e * n);
	};
	return function(e, t, n, i) {
		return r(e) === r(n) && r(t) === r(i);
	};
}
var ls = class {
	constructor(e) {
		this._x0 = this._y0 = this._x1 = this._y1 = null, this._ = "", this._append = e == null ? as : os(e), this._equal = e == null ? ss : cs(e);
	}
	moveTo(e, t) {
		this._append`M${this._x0 = this._x1 = +e},${this._y0 = this._y1 = +t}`;
	}
	closePath() {
		this._x1 !== null && (this._x1 = this._x0, this._y1 = this._y0, this._append`Z`);
	}
	lineTo(e, t) {
		this._append`L${this._x1 = +e},${this._y1 = +t}`;
	}
	quadraticCurveTo(e, t, n, r) {
		this._append`Q${+e},${+t},${this._x1 = +n},${this._y1 = +r}`;
	}
	bezierCurveTo(e, t, n, r, i, a) {
		this._append`C${+e},${+t},${+n},${+r},${this._x1 = +i},${this._y1 = +a}`;
	}
	arcTo(e, t, n, r, i) {
		if (e = +e, t = +t, n = +n, r = +r, i = +i, i < 0) throw Error(`negative radius: ${i}`);
		let a = this._x1, o = this._y1, s = n - e, c = r - t, l = a - e, u = o - t, d = l * l + u * u;
		if (this._x1 === null) this._append`M${this._x1 = e},${this._y1 = t}`;
		else if (d > rs) {
			if (!(Math.abs(u * s - c * l) > rs) || !i) this._append`L${this._x1 = e},${this._y1 = t}`;
			else {
				let f = n - a, p = r - o, m = s * s + c * c, h = f * f + p * p, g = Math.sqrt(m), _ = Math.sqrt(d), v = i * Math.tan((ts - Math.acos((m + d - h) / (2 * g * _))) / 2), y = v / _, b = v / g;
				Math.abs(y - 1) > rs && this._append`L${e + y * l},${t + y * u}`, this._append`A${i},${i},0,0,${+(u * f > l * p)},${this._x1 = e + b * s},${this._y1 = t + b * c}`;
			}
		}
	}
	arc(e, t, n, r, i, a) {
		if (e = +e, t = +t, n = +n, a = !!a, n < 0) throw Error(`negative radius: ${n}`);
		let o = n * Math.cos(r), s = n * Math.sin(r), c = e + o, l = t + s, u = 1 ^ a, d = a ? r - i : i - r;
		if (this._x1 === null ? this._append`M${c},${l}` : (Math.abs(this._x1 - c) > rs || Math.abs(this._y1 - l) > rs) && this._append`L${c},${l}`, n) {
			if (d < 0 && (d = d % ns + ns), d > is) this._append`A${n},${n},0,1,${u},${e - o},${t - s}A${n},${n},0,1,${u},${this._x1 = c},${this._y1 = l}`;
			else if (d > rs) {
				let a = e + n * Math.cos(i), o = t + n * Math.sin(i);
				if (d >= ts && this._equal(c, l, a, o)) {
					d /= 2;
					let i = r + d;
					this._append`A${n},${n},0,${+(d >= ts)},${u},${e + n * Math.cos(i)},${t + n * Math.sin(i)}`;
				}
				this._append`A${n},${n},0,${+(d >= ts)},${u},${this._x1 = a},${this._y1 = o}`;
			}
		}
	}
	rect(e, t, n, r) {
		this._append`M${this._x0 = this._x1 = +e},${this._y0 = this._y1 = +t}h${n = +n}v${+r}h${-n}Z`;
	}
	toString() {
		return this._;
	}
};
ls.prototype;
// node_modules/d3-shape/dist/d3-shape.mjs
function us(e) {
	return function() {
		return e;
	};
}
var ds = Math.cos, fs = Math.sin, ps = Math.sqrt, ms = 1e-12, hs = Math.PI;
hs / 2;
var gs = 2 * hs;
function _s(e) {
	let t = 3;
	return e.digits = function(n) {
		if (!arguments.length) return t;
		if (n == null) t = null;
		else {
			let e = Math.floor(n);
			if (!(e >= 0)) throw RangeError(`invalid digits: ${n}`);
			t = e;
		}
		return e;
	}, () => new ls(t);
}
var vs = Array.prototype.slice;
function ys(e) {
	this._context = e;
}
ys.prototype = {
	areaStart: function() {
		this._line = 0;
	},
	areaEnd: function() {
		this._line = NaN;
	},
	lineStart: function() {
		this._point = 0;
	},
	lineEnd: function() {
		(this._line || this._line !== 0 && this._point === 1) && this._context.closePath(), this._line = 1 - this._line;
	},
	point: function(e, t) {
		switch (e = +e, t = +t, this._point) {
			case 0:
				this._point = 1, this._line ? this._context.lineTo(e, t) : this._context.moveTo(e, t);
				break;
			case 1: this._point = 2;
			default: this._context.lineTo(e, t);
		}
	}
};
function bs(e) {
	return new ys(e);
}
function xs(e) {
	return e[0];
}
function Ss(e) {
	return e[1];
}
ws(bs);
function Cs(e) {
	this._curve = e;
}
Cs.prototype = {
	areaStart: function() {
		this._curve.areaStart();
	},
	areaEnd: function() {
		this._curve.areaEnd();
	},
	lineStart: function() {
		this._curve.lineStart();
	},
	lineEnd: function() {
		this._curve.lineEnd();
	},
	point: function(e, t) {
		this._curve.point(t * Math.sin(e), t * -Math.cos(e));
	}
};
function ws(e) {
	function t(t) {
		return new Cs(e(t));
	}
	return t._curve = e, t;
}
var Ts = class {
	constructor(e, t) {
		this._context = e, this._x = t;
	}
	areaStart() {
		this._line = 0;
	}
	areaEnd() {
		this._line = NaN;
	}
	lineStart() {
		this._point = 0;
	}
	lineEnd() {
		(this._line || this._line !== 0 && this._point === 1) && this._context.closePath(), this._line = 1 - this._line;
	}
	point(e, t) {
		switch (e = +e, t = +t, this._point) {
			case 0:
				this._point = 1, this._line ? this._context.lineTo(e, t) : this._context.moveTo(e, t);
				break;
			case 1: this._point = 2;
			default: this._x ? this._context.bezierCurveTo(this._x0 = (this._x0 + e) / 2, this._y0, this._x0, t, e, t) : this._context.bezierCurveTo(this._x0, this._y0 = (this._y0 + t) / 2, e, this._y0, e, t);
		}
		this._x0 = e, this._y0 = t;
	}
};
function Es(e) {
	return new Ts(e, !0);
}
function Ds(e) {
	return e.source;
}
function Os(e) {
	return e.target;
}
function ks(e) {
	let t = Ds, n = Os, r = xs, i = Ss, a = null, o = null, s = _s(c);
	function c() {
		let c, l = vs.call(arguments), u = t.apply(this, l), d = n.apply(this, l);
		if (a ?? (o = e(c = s())), o.lineStart(), l[0] = u, o.point(+r.apply(this, l), +i.apply(this, l)), l[0] = d, o.point(+r.apply(this, l), +i.apply(this, l)), o.lineEnd(), c) return o = null, c + "" || null;
	}
	return c.source = function(e) {
		return arguments.length ? (t = e, c) : t;
	}, c.target = function(e) {
		return arguments.length ? (n = e, c) : n;
	}, c.x = function(e) {
		return arguments.length ? (r = typeof e == "function" ? e : us(+e), c) : r;
	}, c.y = function(e) {
		return arguments.length ? (i = typeof e == "function" ? e : us(+e), c) : i;
	}, c.context = function(t) {
		return arguments.length ? (t == null ? a = o = null : o = e(a = t), c) : a;
	}, c;
}
function As() {
	return ks(Es);
}
ps(3), ps(1 / 3) * 2;
var js = fs(hs / 10) / fs(7 * hs / 10);
fs(gs / 10) * js, -ds(gs / 10) * js, ps(3), ps(3), ps(3) / 2, (1 / ps(12) / 2 + 1) * 3;
function Ms() {}
function Ns(e, t, n) {
	e._context.bezierCurveTo((2 * e._x0 + e._x1) / 3, (2 * e._y0 + e._y1) / 3, (e._x0 + 2 * e._x1) / 3, (e._y0 + 2 * e._y1) / 3, (e._x0 + 4 * e._x1 + t) / 6, (e._y0 + 4 * e._y1 + n) / 6);
}
function Ps(e) {
	this._context = e;
}
Ps.prototype = {
	areaStart: function() {
		this._line = 0;
	},
	areaEnd: function() {
		this._line = NaN;
	},
	lineStart: function() {
		this._x0 = this._x1 = this._y0 = this._y1 = NaN, this._point = 0;
	},
	lineEnd: function() {
		switch (this._point) {
			case 3: Ns(this, this._x1, this._y1);
			case 2: this._context.lineTo(this._x1, this._y1);
		}
		(this._line || this._line !== 0 && this._point === 1) && this._context.closePath(), this._line = 1 - this._line;
	},
	point: function(e, t) {
		switch (e = +e, t = +t, this._point) {
			case 0:
				this._point = 1, this._line ? this._context.lineTo(e, t) : this._context.moveTo(e, t);
				break;
			case 1:
				this._point = 2;
				break;
			case 2: this._point = 3, this._context.lineTo((5 * this._x0 + this._x1) / 6, (5 * this._y0 + this._y1) / 6);
			default: Ns(this, e, t);
		}
		this._x0 = this._x1, this._x1 = e, this._y0 = this._y1, this._y1 = t;
	}
};
function Fs(e, t) {
	this._basis = new Ps(e), this._beta = t;
}
Fs.prototype = {
	lineStart: function() {
		this._x = [], this._y = [], this._basis.lineStart();
	},
	lineEnd: function() {
		var e = this._x, t = this._y, n = e.length - 1;
		if (n > 0) for (var r = e[0], i = t[0], a = e[n] - r, o = t[n] - i, s = -1, c; ++s <= n;) c = s / n, this._basis.point(this._beta * e[s] + (1 - this._beta) * (r + c * a), this._beta * t[s] + (1 - this._beta) * (i + c * o));
		this._x = this._y = null, this._basis.lineEnd();
	},
	point: function(e, t) {
		this._x.push(+e), this._y.push(+t);
	}
}, (function e(t) {
	function n(e) {
		return t === 1 ? new Ps(e) : new Fs(e, t);
	}
	return n.beta = function(t) {
		return e(+t);
	}, n;
})(.85);
function Is(e, t, n) {
	e._context.bezierCurveTo(e._x1 + e._k * (e._x2 - e._x0), e._y1 + e._k * (e._y2 - e._y0), e._x2 + e._k * (e._x1 - t), e._y2 + e._k * (e._y1 - n), e._x2, e._y2);
}
function Ls(e, t) {
	this._context = e, this._k = (1 - t) / 6;
}
Ls.prototype = {
	areaStart: function() {
		this._line = 0;
	},
	areaEnd: function() {
		this._line = NaN;
	},
	lineStart: function() {
		this._x0 = this._x1 = this._x2 = this._y0 = this._y1 = this._y2 = NaN, this._point = 0;
	},
	lineEnd: function() {
		switch (this._point) {
			case 2:
				this._context.lineTo(this._x2, this._y2);
				break;
			case 3: Is(this, this._x1, this._y1);
		}
		(this._line || this._line !== 0 && this._point === 1) && this._context.closePath(), this._line = 1 - this._line;
	},
	point: function(e, t) {
		switch (e = +e, t = +t, this._point) {
			case 0:
				this._point = 1, this._line ? this._context.lineTo(e, t) : this._context.moveTo(e, t);
				break;
			case 1:
				this._point = 2, this._x1 = e, this._y1 = t;
				break;
			case 2: this._point = 3;
			default: Is(this, e, t);
		}
		this._x0 = this._x1, this._x1 = this._x2, this._x2 = e, this._y0 = this._y1, this._y1 = this._y2, this._y2 = t;
	}
}, (function e(t) {
	function n(e) {
		return new Ls(e, t);
	}
	return n.tension = function(t) {
		return e(+t);
	}, n;
})(0);
function Rs(e, t) {
	this._context = e, this._k = (1 - t) / 6;
}
Rs.prototype = {
	areaStart: Ms,
	areaEnd: Ms,
	lineStart: function() {
		this._x0 = this._x1 = this._x2 = this._x3 = this._x4 = this._x5 = this._y0 = this._y1 = this._y2 = this._y3 = this._y4 = this._y5 = NaN, this._point = 0;
	},
	lineEnd: function() {
		switch (this._point) {
			case 1:
				this._context.moveTo(this._x3, this._y3), this._context.closePath();
				break;
			case 2:
				this._context.lineTo(this._x3, this._y3), this._context.closePath();
				break;
			case 3: this.point(this._x3, this._y3), this.point(this._x4, this._y4), this.point(this._x5, this._y5);
		}
	},
	point: function(e, t) {
		switch (e = +e, t = +t, this._point) {
			case 0:
				this._point = 1, this._x3 = e, this._y3 = t;
				break;
			case 1:
				this._point = 2, this._context.moveTo(this._x4 = e, this._y4 = t);
				break;
			case 2:
				this._point = 3, this._x5 = e, this._y5 = t;
				break;
			default: Is(this, e, t);
		}
		this._x0 = this._x1, this._x1 = this._x2, this._x2 = e, this._y0 = this._y1, this._y1 = this._y2, this._y2 = t;
	}
}, (function e(t) {
	function n(e) {
		return new Rs(e, t);
	}
	return n.tension = function(t) {
		return e(+t);
	}, n;
})(0);
function zs(e, t) {
	this._context = e, this._k = (1 - t) / 6;
}
zs.prototype = {
	areaStart: function() {
		this._line = 0;
	},
	areaEnd: function() {
		this._line = NaN;
	},
	lineStart: function() {
		this._x0 = this._x1 = this._x2 = this._y0 = this._y1 = this._y2 = NaN, this._point = 0;
	},
	lineEnd: function() {
		(this._line || this._line !== 0 && this._point === 3) && this._context.closePath(), this._line = 1 - this._line;
	},
	point: function(e, t) {
		switch (e = +e, t = +t, this._point) {
			case 0:
				this._point = 1;
				break;
			case 1:
				this._point = 2;
				break;
			case 2:
				this._point = 3, this._line ? this._context.lineTo(this._x2, this._y2) : this._context.moveTo(this._x2, this._y2);
				break;
			case 3: this._point = 4;
			default: Is(this, e, t);
		}
		this._x0 = this._x1, this._x1 = this._x2, this._x2 = e, this._y0 = this._y1, this._y1 = this._y2, this._y2 = t;
	}
}, (function e(t) {
	function n(e) {
		return new zs(e, t);
	}
	return n.tension = function(t) {
		return e(+t);
	}, n;
})(0);
function Bs(e, t, n) {
	var r = e._x1, i = e._y1, a = e._x2, o = e._y2;
	if (e._l01_a > ms) {
		var s = 2 * e._l01_2a + 3 * e._l01_a * e._l12_a + e._l12_2a, c = 3 * e._l01_a * (e._l01_a + e._l12_a);
		r = (r * s - e._x0 * e._l12_2a + e._x2 * e._l01_2a) / c, i = (i * s - e._y0 * e._l12_2a + e._y2 * e._l01_2a) / c;
	}
	if (e._l23_a > ms) {
		var l = 2 * e._l23_2a + 3 * e._l23_a * e._l12_a + e._l12_2a, u = 3 * e._l23_a * (e._l23_a + e._l12_a);
		a = (a * l + e._x1 * e._l23_2a - t * e._l12_2a) / u, o = (o * l + e._y1 * e._l23_2a - n * e._l12_2a) / u;
	}
	e._context.bezierCurveTo(r, i, a, o, e._x2, e._y2);
}
function Vs(e, t) {
	this._context = e, this._alpha = t;
}
Vs.prototype = {
	areaStart: function() {
		this._line = 0;
	},
	areaEnd: function() {
		this._line = NaN;
	},
	lineStart: function() {
		this._x0 = this._x1 = this._x2 = this._y0 = this._y1 = this._y2 = NaN, this._l01_a = this._l12_a = this._l23_a = this._l01_2a = this._l12_2a = this._l23_2a = this._point = 0;
	},
	lineEnd: function() {
		switch (this._point) {
			case 2:
				this._context.lineTo(this._x2, this._y2);
				break;
			case 3: this.point(this._x2, this._y2);
		}
		(this._line || this._line !== 0 && this._point === 1) && this._context.closePath(), this._line = 1 - this._line;
	},
	point: function(e, t) {
		if (e = +e, t = +t, this._point) {
			var n = this._x2 - e, r = this._y2 - t;
			this._l23_a = Math.sqrt(this._l23_2a = (n * n + r * r) ** +this._alpha);
		}
		switch (this._point) {
			case 0:
				this._point = 1, this._line ? this._context.lineTo(e, t) : this._context.moveTo(e, t);
				break;
			case 1:
				this._point = 2;
				break;
			case 2: this._point = 3;
			default: Bs(this, e, t);
		}
		this._l01_a = this._l12_a, this._l12_a = this._l23_a, this._l01_2a = this._l12_2a, this._l12_2a = this._l23_2a, this._x0 = this._x1, this._x1 = this._x2, this._x2 = e, this._y0 = this._y1, this._y1 = this._y2, this._y2 = t;
	}
}, (function e(t) {
	function n(e) {
		return t ? new Vs(e, t) : new Ls(e, 0);
	}
	return n.alpha = function(t) {
		return e(+t);
	}, n;
})(.5);
function Hs(e, t) {
	this._context = e, this._alpha = t;
}
Hs.prototype = {
	areaStart: Ms,
	areaEnd: Ms,
	lineStart: function() {
		this._x0 = this._x1 = this._x2 = this._x3 = this._x4 = this._x5 = this._y0 = this._y1 = this._y2 = this._y3 = this._y4 = this._y5 = NaN, this._l01_a = this._l12_a = this._l23_a = this._l01_2a = this._l12_2a = this._l23_2a = this._point = 0;
	},
	lineEnd: function() {
		switch (this._point) {
			case 1:
				this._context.moveTo(this._x3, this._y3), this._context.closePath();
				break;
			case 2:
				this._context.lineTo(this._x3, this._y3), this._context.closePath();
				break;
			case 3: this.point(this._x3, this._y3), this.point(this._x4, this._y4), this.point(this._x5, this._y5);
		}
	},
	point: function(e, t) {
		if (e = +e, t = +t, this._point) {
			var n = this._x2 - e, r = this._y2 - t;
			this._l23_a = Math.sqrt(this._l23_2a = (n * n + r * r) ** +this._alpha);
		}
		switch (this._point) {
			case 0:
				this._point = 1, this._x3 = e, this._y3 = t;
				break;
			case 1:
				this._point = 2, this._context.moveTo(this._x4 = e, this._y4 = t);
				break;
			case 2:
				this._point = 3, this._x5 = e, this._y5 = t;
				break;
			default: Bs(this, e, t);
		}
		this._l01_a = this._l12_a, this._l12_a = this._l23_a, this._l01_2a = this._l12_2a, this._l12_2a = this._l23_2a, this._x0 = this._x1, this._x1 = this._x2, this._x2 = e, this._y0 = this._y1, this._y1 = this._y2, this._y2 = t;
	}
}, (function e(t) {
	function n(e) {
		return t ? new Hs(e, t) : new Rs(e, 0);
	}
	return n.alpha = function(t) {
		return e(+t);
	}, n;
})(.5);
function Us(e, t) {
	this._context = e, this._alpha = t;
}
Us.prototype = {
	areaStart: function() {
		this._line = 0;
	},
	areaEnd: function() {
		this._line = NaN;
	},
	lineStart: function() {
		this._x0 = this._x1 = this._x2 = this._y0 = this._y1 = this._y2 = NaN, this._l01_a = this._l12_a = this._l23_a = this._l01_2a = this._l12_2a = this._l23_2a = this._point = 0;
	},
	lineEnd: function() {
		(this._line || this._line !== 0 && this._point === 3) && this._context.closePath(), this._line = 1 - this._line;
	},
	point: function(e, t) {
		if (e = +e, t = +t, this._point) {
			var n = this._x2 - e, r = this._y2 - t;
			this._l23_a = Math.sqrt(this._l23_2a = (n * n + r * r) ** +this._alpha);
		}
		switch (this._point) {
			case 0:
				this._point = 1;
				break;
			case 1:
				this._point = 2;
				break;
			case 2:
				this._point = 3, this._line ? this._context.lineTo(this._x2, this._y2) : this._context.moveTo(this._x2, this._y2);
				break;
			case 3: this._point = 4;
			default: Bs(this, e, t);
		}
		this._l01_a = this._l12_a, this._l12_a = this._l23_a, this._l01_2a = this._l12_2a, this._l12_2a = this._l23_2a, this._x0 = this._x1, this._x1 = this._x2, this._x2 = e, this._y0 = this._y1, this._y1 = this._y2, this._y2 = t;
	}
}, (function e(t) {
	function n(e) {
		return t ? new Us(e, t) : new zs(e, 0);
	}
	return n.alpha = function(t) {
		return e(+t);
	}, n;
})(.5);
function Ws(e) {
	return e < 0 ? -1 : 1;
}
function Gs(e, t, n) {
	var r = e._x1 - e._x0, i = t - e._x1, a = (e._y1 - e._y0) / (r || i < 0 && -0), o = (n - e._y1) / (i || r < 0 && -0), s = (a * i + o * r) / (r + i);
	return (Ws(a) + Ws(o)) * Math.min(Math.abs(a), Math.abs(o), .5 * Math.abs(s)) || 0;
}
function Ks(e, t) {
	var n = e._x1 - e._x0;
	return n ? (3 * (e._y1 - e._y0) / n - t) / 2 : t;
}
function qs(e, t, n) {
	var r = e._x0, i = e._y0, a = e._x1, o = e._y1, s = (a - r) / 3;
	e._context.bezierCurveTo(r + s, i + s * t, a - s, o - s * n, a, o);
}
function Js(e) {
	this._context = e;
}
Js.prototype = {
	areaStart: function() {
		this._line = 0;
	},
	areaEnd: function() {
		this._line = NaN;
	},
	lineStart: function() {
		this._x0 = this._x1 = this._y0 = this._y1 = this._t0 = NaN, this._point = 0;
	},
	lineEnd: function() {
		switch (this._point) {
			case 2:
				this._context.lineTo(this._x1, this._y1);
				break;
			case 3: qs(this, this._t0, Ks(this, this._t0));
		}
		(this._line || this._line !== 0 && this._point === 1) && this._context.closePath(), this._line = 1 - this._line;
	},
	point: function(e, t) {
		var n = NaN;
		if (e = +e, t = +t, e !== this._x1 || t !== this._y1) {
			switch (this._point) {
				case 0:
					this._point = 1, this._line ? this._context.lineTo(e, t) : this._context.moveTo(e, t);
					break;
				case 1:
					this._point = 2;
					break;
				case 2:
					this._point = 3, qs(this, Ks(this, n = Gs(this, e, t)), n);
					break;
				default: qs(this, this._t0, n = Gs(this, e, t));
			}
			this._x0 = this._x1, this._x1 = e, this._y0 = this._y1, this._y1 = t, this._t0 = n;
		}
	}
}, Object.create(Js.prototype).point = function(e, t) {
	Js.prototype.point.call(this, t, e);
};
// src/views/links/scene.ts
var Ys = 24, Xs = 80;
function Zs(e, t, n) {
	if (e.keys <= Xs) return Array.from({ length: e.keys }, (e, t) => t);
	let r = /* @__PURE__ */ new Map();
	for (let [, , e, n] of t) r.set(e, Math.max(r.get(e) ?? 0, n));
	let i = [...r].sort((e, t) => t[1] - e[1]).slice(0, Xs).map(([e]) => e);
	return [.../* @__PURE__ */ new Set([...i, ...n.filter((t) => t < e.keys)])].sort((e, t) => e - t);
}
function Qs(e, t, n) {
	let { run: r, place: i, links: a, first: o, count: s, width: c, spoken: l, pins: u } = e, d = Array.from({ length: Math.min(s, i.queries - o) }, (e, t) => o + t), f = Zs(i, a, u.filter((e) => pr(e, cr(r, i, e.index))).map((e) => e.index)), p = [...d.map((e) => q(dr(r, i, e))), ...f.map((e) => q(X(r, i, e)))], m = Math.min(190, Math.max(60, ...p.map((e) => Or(e, 13))) + 16), h = Math.max(110, Math.min(460, c - 2 * m - 20)), g = m + 8, _ = g + h, v = (e) => 34 + e * Ys, y = new Map(f.map((e, t) => [e, v(t)])), b = As(), x = i.rows === i.columns, S = (e) => lr(r, i, e) !== null, ee = (t, n) => {
		let a = sr(r, i, t), o = cr(r, i, n);
		return l ? pr(e.receives || !S(l) ? o : a, l) : u.length === 0 || u.some((e) => pr(e, a) || pr(e, o) && !x);
	}, C = [...new Set(a.map(([e]) => e))].sort((e, t) => e - t), w = u.length > 0 || l !== null, T = [];
	for (let [c, l, u, d] of [...a].sort((e, t) => e[3] - t[3])) {
		let a = y.get(u);
		if (a === void 0 || l < o || l >= o + s) continue;
		let f = (C.indexOf(c) - (C.length - 1) / 2) * Math.min(3.5, 14 / C.length), p = b({
			source: [g, v(l - o) + f],
			target: [_, a + f]
		});
		if (!p) continue;
		let m = ee(l, u), h = `${i.name} · head ${c} · “${q(dr(r, i, l))}” → “${q(X(r, i, u))}” ${Y(d)}`;
		T.push({
			kind: "stroke",
			d: p,
			stroke: e.several ? ba(c) : t.accent,
			thickness: .5 + 6 * d,
			name: m ? "link strong" : "link",
			opacity: m ? .25 + .7 * Math.sqrt(d) : w ? .05 : .1,
			title: h,
			touch: m ? {
				enter: () => n.say(h),
				leave: () => n.say(null)
			} : void 0
		});
	}
	let E = [{
		kind: "label",
		x: g - 8,
		y: 14,
		anchor: "end",
		text: `${i.rows} looks`,
		size: 12,
		fill: t.faint
	}, {
		kind: "label",
		x: _ + 8,
		y: 14,
		text: `at ${i.columns}`,
		size: 12,
		fill: t.faint
	}], te = (e, r, i, a) => {
		let o = u.some((t) => pr(t, e)), s = pr(e, l), c = a === "left" ? g - m : _ + 2;
		E.push({
			kind: "box",
			x: c,
			y: i - 11,
			width: m - 2,
			height: 22,
			round: 5,
			name: "spot",
			title: r,
			fill: o ? t.accent : s ? t.soft : t.paper,
			touch: {
				enter: () => n.point(e, a === "right"),
				leave: () => n.point(null, !1),
				press: (t) => n.pin(e, t)
			}
		}), E.push({
			kind: "label",
			x: a === "left" ? g - 10 : _ + 10,
			y: i + 4.5,
			anchor: a === "left" ? "end" : "start",
			name: "unclickable",
			text: kr(r, m - 16),
			size: 13,
			mono: !0,
			fill: o ? t.paper : t.ink,
			bold: s
		});
	};
	return d.forEach((e, t) => te(sr(r, i, e), q(dr(r, i, e)), v(t), "left")), f.forEach((e, n) => {
		te(cr(r, i, e), q(X(r, i, e)), v(n), "right");
		let a = f[n + 1];
		a !== void 0 && a !== e + 1 && E.push({
			kind: "label",
			x: _ + m + 4,
			y: v(n) + Ys / 2 + 4,
			text: "⋮",
			size: 12,
			fill: t.faint,
			title: `${a - e - 1} tokens that are hardly looked at`
		});
	}), {
		width: _ + m + 16,
		height: v(Math.max(d.length, f.length) - 1) + 24,
		marks: [...T, ...E]
	};
}
// src/views/links/view.tsx
var $s = 60;
function ec(e) {
	let t = z("heads").split(",").filter((e) => /^\d+$/.test(e)).map(Number).filter((t) => t < e);
	return t.length ? [...new Set(t)].sort((e, t) => e - t) : [Math.max(0, dn.value)];
}
function tc({ all: e, drawn: t }) {
	let n = (e) => {
		let n = t.includes(e) ? t.filter((t) => t !== e) : [...t, e];
		R({ heads: (n.length ? n : [e]).join(",") });
	};
	return e === 1 ? null : /* @__PURE__ */ K("div", {
		class: "row chips",
		role: "group",
		"aria-label": "Heads that are drawn",
		children: [Array.from({ length: e }, (e, r) => /* @__PURE__ */ K("button", {
			type: "button",
			class: "chip",
			"aria-pressed": t.includes(r),
			"data-head": r,
			style: t.includes(r) ? {
				backgroundColor: t.length > 1 ? ba(r) : "var(--accent)",
				borderColor: "transparent",
				color: "#fff"
			} : { borderColor: ba(r) },
			onClick: () => n(r),
			children: ["head ", r]
		}, r)), /* @__PURE__ */ K("button", {
			type: "button",
			class: "quiet",
			onClick: () => R({ heads: t.length === e ? "" : Array.from({ length: e }, (e, t) => t).join(",") }),
			children: t.length === e ? "only one" : "all"
		})]
	});
}
function nc() {
	let e = V.value, t = W.value, [n, r] = ka(), i = zt("top", 3, 1, 16), a = (t?.queries ?? 0) > 80, o = a ? zt("first", 0, 0, Math.max(0, (t?.queries ?? 1) - 1)) : 0, s = a ? $s : t?.queries ?? 0, c = ec(t?.heads ?? 1), { answer: l, problem: u } = Xi(e && t && ((n) => Yt.links(e.id, {
		place: t.name,
		heads: c.join(","),
		top: i,
		first: o,
		count: Math.max(1, s)
	}, n)), [
		e?.id,
		t?.name,
		c.join(","),
		i,
		o,
		s
	]), d = G.value.at(-1);
	A(() => {
		let n = e && t && d ? lr(e, t, d) : null;
		a && n !== null && (n < o || n >= o + s) && R({ first: String(Math.max(0, n - 10)) });
	}, [d, t]);
	let f = Z.value, p = U.value, [m, h] = k(!1), g = j(() => !e || !t || !l || l.place !== t.name ? null : Qs({
		run: e,
		place: t,
		links: l.links,
		first: o,
		count: s,
		width: r - 40,
		several: c.length > 1,
		spoken: p,
		receives: m,
		pins: G.value
	}, f, {
		point: (e, t) => {
			U.value = e, h(t);
		},
		pin: (e, t) => Rn([e], t),
		say: (e) => rn.value = e
	}), [
		e,
		t,
		l,
		o,
		s,
		r,
		c.join(","),
		p,
		m,
		G.value,
		f
	]);
	if (!e || !t) return /* @__PURE__ */ K(yr, { children: "Run a text: this view then draws a line from every token to those it looks at." });
	let _ = `Links of ${t.name}, ${c.length > 1 ? `heads ${c.join(", ")}` : `head ${c[0]}`}`;
	return /* @__PURE__ */ K("div", {
		class: "stack",
		ref: n,
		children: [
			/* @__PURE__ */ K("div", {
				class: "row controls",
				children: [
					/* @__PURE__ */ K(Yn, { heads: !1 }),
					/* @__PURE__ */ K("label", { children: [
						"Lines a token",
						/* @__PURE__ */ K("input", {
							type: "range",
							min: 1,
							max: 16,
							value: i,
							"aria-label": "Lines a token",
							onInput: (e) => R({ top: e.currentTarget.value })
						}),
						/* @__PURE__ */ K("output", { children: i })
					] }),
					a && /* @__PURE__ */ K("span", {
						class: "row",
						children: [
							/* @__PURE__ */ K("button", {
								type: "button",
								class: "plain",
								disabled: o === 0,
								onClick: () => R({ first: String(Math.max(0, o - s)) }),
								children: "↑ before"
							}),
							/* @__PURE__ */ K("span", {
								class: "faint small",
								children: [
									"tokens ",
									rr(o),
									" to ",
									rr(Math.min(t.queries, o + s) - 1),
									" of ",
									rr(t.queries)
								]
							}),
							/* @__PURE__ */ K("button", {
								type: "button",
								class: "plain",
								disabled: o + s >= t.queries,
								onClick: () => R({ first: String(o + s) }),
								children: "↓ after"
							})
						]
					})
				]
			}),
			/* @__PURE__ */ K(tc, {
				all: t.heads,
				drawn: c
			}),
			u && /* @__PURE__ */ K(hr, { line: u }),
			!g && !u && /* @__PURE__ */ K(gr, { line: "Waiting for the links …" }),
			g && l && (l.links.length === 0 ? /* @__PURE__ */ K(mr, { children: "Nothing is looked at here: the mask or an edit forbids it." }) : /* @__PURE__ */ K("div", {
				class: "card",
				children: /* @__PURE__ */ K(ki, {
					title: _,
					of: [l],
					first: !0,
					make: () => ({
						title: _,
						scene: g,
						python: zi([`print(pattern.top(${i}))  # .weights and .places`]),
						table: {
							caption: `${_}: the ${i} keys that each token looks at most`,
							columns: [
								"head",
								"row",
								"token",
								"column",
								"looks at",
								"weight"
							],
							rows: l.links.map(([n, r, i, a]) => [
								n,
								r,
								q(dr(e, t, r)),
								i,
								q(X(e, t, i)),
								a
							])
						}
					}),
					children: /* @__PURE__ */ K(Fi, {
						scene: g,
						label: _
					})
				})
			}))
		]
	});
}
var rc = 240, ic = ({ level: e, row: t, column: n }) => `${e}/${t}/${n}`, ac = class {
	run;
	place;
	head;
	how;
	sinks;
	changed;
	tiles = /* @__PURE__ */ new Map();
	painted = /* @__PURE__ */ new WeakMap();
	pending = /* @__PURE__ */ new Map();
	failed = /* @__PURE__ */ new Set();
	problem = null;
	constructor(e, t, n, r, i, a) {
		this.run = e, this.place = t, this.head = n, this.how = r, this.sinks = i, this.changed = a;
	}
	get waiting() {
		return this.pending.size;
	}
	tile(e) {
		return this.tiles.get(ic(e));
	}
	want(e) {
		let t = new Set(e.map(ic));
		for (let [e, n] of this.pending) t.has(e) || n.abort();
		for (let t of e) {
			let e = ic(t), n = this.tiles.get(e);
			n ? (this.tiles.delete(e), this.tiles.set(e, n)) : !this.pending.has(e) && !this.failed.has(e) && this.fetch(t, e);
		}
	}
	close() {
		for (let e of this.pending.values()) e.abort();
	}
	async fetch(e, t) {
		let n = new AbortController();
		this.pending.set(t, n);
		try {
			let r = {
				place: this.place.name,
				head: this.head,
				how: this.how,
				...e
			}, { head: i, numbers: a } = await Yt.tile(this.run, r, n.signal);
			this.tiles.set(t, {
				...e,
				rows: i.rows,
				columns: i.columns,
				largest: i.largest,
				numbers: a
			});
			for (let e of this.tiles.keys()) {
				if (this.tiles.size <= rc) break;
				e !== ic({
					level: this.place.levels - 1,
					row: 0,
					column: 0
				}) && this.tiles.delete(e);
			}
		} catch (e) {
			n.signal.aborted || (this.problem = e, this.failed.add(t));
		} finally {
			this.pending.delete(t), this.changed();
		}
	}
	value(e, t, n) {
		for (let r = n; r < this.place.levels; r++) {
			let n = 2 ** r, [i, a] = [Math.floor(e / n), Math.floor(t / n)], o = this.tile({
				level: r,
				row: Math.floor(i / 256),
				column: Math.floor(a / 256)
			}), s = o?.numbers[i % 256 * o.columns + a % 256];
			if (s !== void 0) return {
				number: s,
				cell: n
			};
		}
		return null;
	}
	strongest(e, t, n) {
		return e.flatMap((e) => [...e.numbers.entries()].filter(([, e]) => e > t).map(([t, n]) => ({
			row: (e.row * 256 + Math.floor(t / e.columns)) * 2 ** e.level,
			column: (e.column * 256 + t % e.columns) * 2 ** e.level,
			number: n
		}))).sort((e, t) => t.number - e.number).slice(0, n);
	}
	rests(e, t) {
		let n = 2 ** e;
		return this.sinks.some((e) => e >= t * n && e < (t + 1) * n);
	}
	largest(e, t) {
		if (!t) return e.largest;
		let n = 0;
		for (let t = 0; t < e.columns; t++) if (!this.rests(e.level, e.column * 256 + t)) for (let r = 0; r < e.rows; r++) n = Math.max(n, e.numbers[r * e.columns + t]);
		return n;
	}
	canvas(e, t) {
		let n = `${t.scale}${t.top}${t.theme}`, r = this.painted.get(e);
		if (r?.key === n) return r.canvas;
		let i = t.scale === "sinkless" ? (t) => this.rests(e.level, e.column * 256 + t) : void 0, a = Ta(e.numbers, e.rows, e.columns, t, i);
		return this.painted.set(e, {
			key: n,
			canvas: a
		}), a;
	}
}, oc = 96;
function sc(e, t, n) {
	let { keys: r, queries: i, levels: a } = e, o = Math.min(Math.max(120, t), r * 56), s = Math.min(n, Math.max(90, Math.ceil(i * Math.min(56, o / r)))), c = Math.min(56, o / r, s / i), [l, u] = Math.max(r, i) <= oc ? [r * c, i * c] : [o, s];
	return {
		width: l,
		height: u,
		rows: i,
		columns: r,
		levels: a
	};
}
function cc(e, t, n, { width: r, height: i }) {
	return {
		k: n,
		x: t - r / n / 2,
		y: e - i / n / 2
	};
}
function lc(e, t, n, r) {
	let i = Math.floor(e / n.k + n.x), a = Math.floor(t / n.k + n.y);
	return e >= 0 && t >= 0 && a >= 0 && i >= 0 && a < r.rows && i < r.columns ? {
		row: a,
		column: i
	} : null;
}
function uc({ width: e, height: t, rows: n, columns: r }) {
	let i = Math.min(56, e / r, t / n);
	return {
		k: i,
		x: (r - e / i) / 2,
		y: (n - t / i) / 2
	};
}
function dc(e, t, n) {
	return Math.max(0, Math.min(t.levels - 1, Math.floor(-Math.log2(e.k * n) + .01)));
}
function fc(e, t, n) {
	let r = 256 * 2 ** n, i = (e, t, n) => {
		let i = Math.max(0, Math.floor(e / r)), a = Math.min(Math.ceil(n / r) - 1, Math.floor((t - 1e-9) / r));
		return Array.from({ length: Math.max(0, a - i + 1) }, (e, t) => i + t);
	}, a = i(e.y, e.y + t.height / e.k, t.rows), o = i(e.x, e.x + t.width / e.k, t.columns), s = [e.y + t.height / e.k / 2, e.x + t.width / e.k / 2], c = ({ row: e, column: t }) => Math.hypot((e + .5) * r - s[0], (t + .5) * r - s[1]);
	return a.flatMap((e) => o.map((t) => ({
		level: n,
		row: e,
		column: t
	}))).sort((e, t) => c(e) - c(t));
}
function pc(e, t) {
	let n = e.y + t.height / e.k / 2, r = e.x + t.width / e.k / 2;
	return [
		n.toFixed(1),
		r.toFixed(1),
		e.k.toPrecision(4)
	].join(",");
}
function mc(e, t) {
	let [n, r, i] = e.split(",").map(Number);
	return ![
		n,
		r,
		i
	].every((e) => e !== void 0 && Number.isFinite(e)) || !(i > 0) ? null : cc(n, r, Math.min(56, i), t);
}
function hc(e, t, n, r, i) {
	let a = document.createElement("canvas");
	a.width = Math.max(1, Math.round(n.width * i)), a.height = Math.max(1, Math.round(n.height * i));
	let o = a.getContext("2d");
	if (!o) return a;
	o.scale(i, i);
	let s = dc(t, n, i);
	o.imageSmoothingEnabled = !1;
	for (let i of fc(t, n, s)) {
		let a = 2 ** s, c = i.column * 256 * a, l = i.row * 256 * a, u = Math.min(n.columns, c + 256 * a), d = Math.min(n.rows, l + 256 * a), f = [
			(c - t.x) * t.k,
			(l - t.y) * t.k,
			(u - c) * t.k,
			(d - l) * t.k
		];
		for (let a = s; a < n.levels; a++) {
			let n = 2 ** (a - s), u = e.tile({
				level: a,
				row: Math.floor(i.row / n),
				column: Math.floor(i.column / n)
			});
			if (!u) continue;
			let d = 2 ** a, p = c / d - u.column * 256, m = l / d - u.row * 256;
			o.imageSmoothingEnabled = a > s, o.save(), o.beginPath(), o.rect(...f), o.clip(), o.drawImage(e.canvas(u, r), p, m, Math.min(256 / n, u.columns - p), Math.min(256 / n, u.rows - m), f[0], f[1], Math.min(256 / n, u.columns - p) * d * t.k, Math.min(256 / n, u.rows - m) * d * t.k), o.restore();
			break;
		}
	}
	return a;
}
function gc(e, t) {
	let n = 1;
	for (let r = 0; n * e < t; r++) n *= r % 3 == 1 ? 2.5 : 2;
	return n;
}
function _c(e, t, n, r) {
	let i = [], a = gc(e.k, 15), o = Math.max(0, Math.ceil(e.y / a) * a);
	for (let s = o; s < Math.min(t.rows, e.y + t.height / e.k); s += a) {
		let o = 78 + (s + (a === 1 ? .5 : 0) - e.y) * e.k;
		if (o < 82 || o > 78 + t.height - 2) continue;
		let c = n.row(s), l = a === 1 ? kr(c, 90, 12) : `${kr(c, 50, 12)} ${rr(s)}`;
		i.push({
			kind: "label",
			x: 96,
			y: o + 4,
			anchor: "end",
			text: l,
			size: 12,
			mono: !0,
			fill: r.ink
		}), a > 1 && i.push({
			kind: "stroke",
			d: `M99 ${o}h5`,
			stroke: r.faint
		});
	}
	let s = gc(e.k, 15), c = Math.max(0, Math.ceil(e.x / s) * s);
	for (let a = c; a < Math.min(t.columns, e.x + t.width / e.k); a += s) {
		let o = 104 + (a + (s === 1 ? .5 : 0) - e.x) * e.k;
		if (o < 106 || o > 104 + t.width - 4) continue;
		let c = n.column(a), l = s === 1 ? kr(c, 64, 12) : `${rr(a)} ${kr(c, 30, 12)}`;
		i.push({
			kind: "label",
			x: o + 4,
			y: 70,
			turn: -90,
			text: l,
			size: 12,
			mono: !0,
			fill: r.ink
		}), s > 1 && i.push({
			kind: "stroke",
			d: `M${o} 73v5`,
			stroke: r.faint
		});
	}
	return i;
}
function vc(e, t, n, r) {
	let i = Math.max(1.5, e.k), a = (e, t) => e + i > 0 && e < t, o = [], s = (n, s, c) => {
		let l = n === null ? null : (n - e.y) * e.k, u = s === null ? null : (s - e.x) * e.k;
		if (l !== null && a(l, t.height)) {
			let e = Math.max(0, l);
			o.push({
				kind: "box",
				x: 104,
				y: 78 + e,
				width: t.width,
				height: Math.min(t.height, l + i) - e,
				stroke: r.accent,
				thickness: 1,
				opacity: c
			});
		}
		if (u !== null && a(u, t.width)) {
			let e = Math.max(0, u);
			o.push({
				kind: "box",
				x: 104 + e,
				y: 78,
				width: Math.min(t.width, u + i) - e,
				height: t.height,
				stroke: r.accent,
				thickness: 1,
				opacity: c
			});
		}
	};
	for (let e of n.rows) s(e, null, .9);
	for (let e of n.columns) s(null, e, .9);
	return s(n.row, n.column, .5), o;
}
var yc = 30;
function bc(e, t, n, r) {
	if (t.k < yc) return [];
	let i = [];
	for (let a = Math.max(0, Math.floor(t.y)); a < Math.min(n.rows, t.y + n.height / t.k); a++) for (let o = Math.max(0, Math.floor(t.x)); o < Math.min(n.columns, t.x + n.width / t.k); o++) {
		let s = e.tile({
			level: 0,
			row: Math.floor(a / 256),
			column: Math.floor(o / 256)
		}), c = s?.numbers[a % 256 * s.columns + o % 256], l = (o + .5 - t.x) * t.k, u = (a + .5 - t.y) * t.k + 4;
		c === void 0 || c < .005 || l < 14 || u < 10 || l > n.width - 14 || u > n.height - 2 || r.scale === "sinkless" && e.rests(0, o) || i.push({
			kind: "label",
			x: 104 + l,
			y: 78 + u,
			anchor: "middle",
			text: Y(c),
			size: 11,
			fill: _a(ma(r.theme, xa(c, r)))
		});
	}
	return i;
}
function xc(e, t, n, r, i, a, o, s) {
	return {
		width: 104 + n.width + 1,
		height: 78 + n.height + 1,
		marks: [
			{
				kind: "raster",
				x: 104,
				y: 78,
				width: n.width,
				height: n.height,
				pixels: hc(e, t, n, r, s),
				smooth: !0
			},
			...bc(e, t, n, r),
			...vc(t, n, a, o),
			{
				kind: "box",
				x: 103.5,
				y: 77.5,
				width: n.width + 1,
				height: n.height + 1,
				stroke: o.line
			},
			..._c(t, n, i, o)
		]
	};
}
function Sc(e, t, n, r, i, a) {
	let o = a / Math.max(n.rows, n.columns), s = n.columns * o, c = n.rows * o, l = n.levels - 1, u = [{
		kind: "raster",
		x: 0,
		y: 0,
		width: s,
		height: c,
		pixels: hc(e, {
			x: 0,
			y: 0,
			k: o
		}, {
			...n,
			width: s,
			height: c,
			levels: l + 1
		}, r, 1),
		smooth: !0
	}], d = Math.max(0, t.x * o), f = Math.max(0, t.y * o), p = Math.min(s, (t.x + n.width / t.k) * o), m = Math.min(c, (t.y + n.height / t.k) * o);
	return u.push({
		kind: "box",
		x: d + .5,
		y: f + .5,
		width: Math.max(3, p - d - 1),
		height: Math.max(3, m - f - 1),
		stroke: i.accent,
		thickness: 1.5
	}), {
		width: s,
		height: c,
		marks: u
	};
}
// node_modules/d3-selection/dist/d3-selection.mjs
var Cc = "http://www.w3.org/1999/xhtml", wc = {
	svg: "http://www.w3.org/2000/svg",
	xhtml: Cc,
	xlink: "http://www.w3.org/1999/xlink",
	xml: "http://www.w3.org/XML/1998/namespace",
	xmlns: "http://www.w3.org/2000/xmlns/"
};
function Tc(e) {
	var t = e += "", n = t.indexOf(":");
	return n >= 0 && (t = e.slice(0, n)) !== "xmlns" && (e = e.slice(n + 1)), wc.hasOwnProperty(t) ? {
		space: wc[t],
		local: e
	} : e;
}
function Ec(e) {
	return function() {
		var t = this.ownerDocument, n = this.namespaceURI;
		return n === Cc && t.documentElement.namespaceURI === Cc ? t.createElement(e) : t.createElementNS(n, e);
	};
}
function Dc(e) {
	return function() {
		return this.ownerDocument.createElementNS(e.space, e.local);
	};
}
function Oc(e) {
	var t = Tc(e);
	return (t.local ? Dc : Ec)(t);
}
function kc() {}
function Ac(e) {
	return e == null ? kc : function() {
		return this.querySelector(e);
	};
}
function jc(e) {
	typeof e != "function" && (e = Ac(e));
	for (var t = this._groups, n = t.length, r = Array(n), i = 0; i < n; ++i) for (var a = t[i], o = a.length, s = r[i] = Array(o), c, l, u = 0; u < o; ++u) (c = a[u]) && (l = e.call(c, c.__data__, u, a)) && ("__data__" in c && (l.__data__ = c.__data__), s[u] = l);
	return new yu(r, this._parents);
}
function Mc(e) {
	return e == null ? [] : Array.isArray(e) ? e : Array.from(e);
}
function Nc() {
	return [];
}
function Pc(e) {
	return e == null ? Nc : function() {
		return this.querySelectorAll(e);
	};
}
function Fc(e) {
	return function() {
		return Mc(e.apply(this, arguments));
	};
}
function Ic(e) {
	e = typeof e == "function" ? Fc(e) : Pc(e);
	for (var t = this._groups, n = t.length, r = [], i = [], a = 0; a < n; ++a) for (var o = t[a], s = o.length, c, l = 0; l < s; ++l) (c = o[l]) && (r.push(e.call(c, c.__data__, l, o)), i.push(c));
	return new yu(r, i);
}
function Lc(e) {
	return function() {
		return this.matches(e);
	};
}
function Rc(e) {
	return function(t) {
		return t.matches(e);
	};
}
var zc = Array.prototype.find;
function Bc(e) {
	return function() {
		return zc.call(this.children, e);
	};
}
function Vc() {
	return this.firstElementChild;
}
function Hc(e) {
	return this.select(e == null ? Vc : Bc(typeof e == "function" ? e : Rc(e)));
}
var Uc = Array.prototype.filter;
function Wc() {
	return Array.from(this.children);
}
function Gc(e) {
	return function() {
		return Uc.call(this.children, e);
	};
}
function Kc(e) {
	return this.selectAll(e == null ? Wc : Gc(typeof e == "function" ? e : Rc(e)));
}
function qc(e) {
	typeof e != "function" && (e = Lc(e));
	for (var t = this._groups, n = t.length, r = Array(n), i = 0; i < n; ++i) for (var a = t[i], o = a.length, s = r[i] = [], c, l = 0; l < o; ++l) (c = a[l]) && e.call(c, c.__data__, l, a) && s.push(c);
	return new yu(r, this._parents);
}
function Jc(e) {
	return Array(e.length);
}
function Yc() {
	return new yu(this._enter || this._groups.map(Jc), this._parents);
}
function Xc(e, t) {
	this.ownerDocument = e.ownerDocument, this.namespaceURI = e.namespaceURI, this._next = null, this._parent = e, this.__data__ = t;
}
Xc.prototype = {
	constructor: Xc,
	appendChild: function(e) {
		return this._parent.insertBefore(e, this._next);
	},
	insertBefore: function(e, t) {
		return this._parent.insertBefore(e, t);
	},
	querySelector: function(e) {
		return this._parent.querySelector(e);
	},
	querySelectorAll: function(e) {
		return this._parent.querySelectorAll(e);
	}
};
function Zc(e) {
	return function() {
		return e;
	};
}
function Qc(e, t, n, r, i, a) {
	for (var o = 0, s, c = t.length, l = a.length; o < l; ++o) (s = t[o]) ? (s.__data__ = a[o], r[o] = s) : n[o] = new Xc(e, a[o]);
	for (; o < c; ++o) (s = t[o]) && (i[o] = s);
}
function $c(e, t, n, r, i, a, o) {
	var s, c, l = /* @__PURE__ */ new Map(), u = t.length, d = a.length, f = Array(u), p;
	for (s = 0; s < u; ++s) (c = t[s]) && (f[s] = p = o.call(c, c.__data__, s, t) + "", l.has(p) ? i[s] = c : l.set(p, c));
	for (s = 0; s < d; ++s) p = o.call(e, a[s], s, a) + "", (c = l.get(p)) ? (r[s] = c, c.__data__ = a[s], l.delete(p)) : n[s] = new Xc(e, a[s]);
	for (s = 0; s < u; ++s) (c = t[s]) && l.get(f[s]) === c && (i[s] = c);
}
function el(e) {
	return e.__data__;
}
function tl(e, t) {
	if (!arguments.length) return Array.from(this, el);
	var n = t ? $c : Qc, r = this._parents, i = this._groups;
	typeof e != "function" && (e = Zc(e));
	for (var a = i.length, o = Array(a), s = Array(a), c = Array(a), l = 0; l < a; ++l) {
		var u = r[l], d = i[l], f = d.length, p = nl(e.call(u, u && u.__data__, l, r)), m = p.length, h = s[l] = Array(m), g = o[l] = Array(m);
		n(u, d, h, g, c[l] = Array(f), p, t);
		for (var _ = 0, v = 0, y, b; _ < m; ++_) if (y = h[_]) {
			for (_ >= v && (v = _ + 1); !(b = g[v]) && ++v < m;);
			y._next = b || null;
		}
	}
	return o = new yu(o, r), o._enter = s, o._exit = c, o;
}
function nl(e) {
	return typeof e == "object" && "length" in e ? e : Array.from(e);
}
function rl() {
	return new yu(this._exit || this._groups.map(Jc), this._parents);
}
function il(e, t, n) {
	var r = this.enter(), i = this, a = this.exit();
	return typeof e == "function" ? (r = e(r), r &&= r.selection()) : r = r.append(e + ""), t != null && (i = t(i), i &&= i.selection()), n == null ? a.remove() : n(a), r && i ? r.merge(i).order() : i;
}
function al(e) {
	for (var t = e.selection ? e.selection() : e, n = this._groups, r = t._groups, i = n.length, a = r.length, o = Math.min(i, a), s = Array(i), c = 0; c < o; ++c) for (var l = n[c], u = r[c], d = l.length, f = s[c] = Array(d), p, m = 0; m < d; ++m) (p = l[m] || u[m]) && (f[m] = p);
	for (; c < i; ++c) s[c] = n[c];
	return new yu(s, this._parents);
}
function ol() {
	for (var e = this._groups, t = -1, n = e.length; ++t < n;) for (var r = e[t], i = r.length - 1, a = r[i], o; --i >= 0;) (o = r[i]) && (a && o.compareDocumentPosition(a) ^ 4 && a.parentNode.insertBefore(o, a), a = o);
	return this;
}
function sl(e) {
	e ||= cl;
	function t(t, n) {
		return t && n ? e(t.__data__, n.__data__) : !t - !n;
	}
	for (var n = this._groups, r = n.length, i = Array(r), a = 0; a < r; ++a) {
		for (var o = n[a], s = o.length, c = i[a] = Array(s), l, u = 0; u < s; ++u) (l = o[u]) && (c[u] = l);
		c.sort(t);
	}
	return new yu(i, this._parents).order();
}
function cl(e, t) {
	return e < t ? -1 : e > t ? 1 : e >= t ? 0 : NaN;
}
function ll() {
	var e = arguments[0];
	return arguments[0] = this, e.apply(null, arguments), this;
}
function ul() {
	return Array.from(this);
}
function dl() {
	for (var e = this._groups, t = 0, n = e.length; t < n; ++t) for (var r = e[t], i = 0, a = r.length; i < a; ++i) {
		var o = r[i];
		if (o) return o;
	}
	return null;
}
function fl() {
	let e = 0;
	for (let t of this) ++e;
	return e;
}
function pl() {
	return !this.node();
}
function ml(e) {
	for (var t = this._groups, n = 0, r = t.length; n < r; ++n) for (var i = t[n], a = 0, o = i.length, s; a < o; ++a) (s = i[a]) && e.call(s, s.__data__, a, i);
	return this;
}
function hl(e) {
	return function() {
		this.removeAttribute(e);
	};
}
function gl(e) {
	return function() {
		this.removeAttributeNS(e.space, e.local);
	};
}
function _l(e, t) {
	return function() {
		this.setAttribute(e, t);
	};
}
function vl(e, t) {
	return function() {
		this.setAttributeNS(e.space, e.local, t);
	};
}
function yl(e, t) {
	return function() {
		var n = t.apply(this, arguments);
		n == null ? this.removeAttribute(e) : this.setAttribute(e, n);
	};
}
function bl(e, t) {
	return function() {
		var n = t.apply(this, arguments);
		n == null ? this.removeAttributeNS(e.space, e.local) : this.setAttributeNS(e.space, e.local, n);
	};
}
function xl(e, t) {
	var n = Tc(e);
	if (arguments.length < 2) {
		var r = this.node();
		return n.local ? r.getAttributeNS(n.space, n.local) : r.getAttribute(n);
	}
	return this.each((t == null ? n.local ? gl : hl : typeof t == "function" ? n.local ? bl : yl : n.local ? vl : _l)(n, t));
}
function Sl(e) {
	return e.ownerDocument && e.ownerDocument.defaultView || e.document && e || e.defaultView;
}
function Cl(e) {
	return function() {
		this.style.removeProperty(e);
	};
}
function wl(e, t, n) {
	return function() {
		this.style.setProperty(e, t, n);
	};
}
function Tl(e, t, n) {
	return function() {
		var r = t.apply(this, arguments);
		r == null ? this.style.removeProperty(e) : this.style.setProperty(e, r, n);
	};
}
function El(e, t, n) {
	return arguments.length > 1 ? this.each((t == null ? Cl : typeof t == "function" ? Tl : wl)(e, t, n ?? "")) : Dl(this.node(), e);
}
function Dl(e, t) {
	return e.style.getPropertyValue(t) || Sl(e).getComputedStyle(e, null).getPropertyValue(t);
}
function Ol(e) {
	return function() {
		delete this[e];
	};
}
function kl(e, t) {
	return function() {
		this[e] = t;
	};
}
function Al(e, t) {
	return function() {
		var n = t.apply(this, arguments);
		n == null ? delete this[e] : this[e] = n;
	};
}
function jl(e, t) {
	return arguments.length > 1 ? this.each((t == null ? Ol : typeof t == "function" ? Al : kl)(e, t)) : this.node()[e];
}
function Ml(e) {
	return e.trim().split(/^|\s+/);
}
function Nl(e) {
	return e.classList || new Pl(e);
}
function Pl(e) {
	this._node = e, this._names = Ml(e.getAttribute("class") || "");
}
Pl.prototype = {
	add: function(e) {
		this._names.indexOf(e) < 0 && (this._names.push(e), this._node.setAttribute("class", this._names.join(" ")));
	},
	remove: function(e) {
		var t = this._names.indexOf(e);
		t >= 0 && (this._names.splice(t, 1), this._node.setAttribute("class", this._names.join(" ")));
	},
	contains: function(e) {
		return this._names.indexOf(e) >= 0;
	}
};
function Fl(e, t) {
	for (var n = Nl(e), r = -1, i = t.length; ++r < i;) n.add(t[r]);
}
function Il(e, t) {
	for (var n = Nl(e), r = -1, i = t.length; ++r < i;) n.remove(t[r]);
}
function Ll(e) {
	return function() {
		Fl(this, e);
	};
}
function Rl(e) {
	return function() {
		Il(this, e);
	};
}
function zl(e, t) {
	return function() {
		(t.apply(this, arguments) ? Fl : Il)(this, e);
	};
}
function Bl(e, t) {
	var n = Ml(e + "");
	if (arguments.length < 2) {
		for (var r = Nl(this.node()), i = -1, a = n.length; ++i < a;) if (!r.contains(n[i])) return !1;
		return !0;
	}
	return this.each((typeof t == "function" ? zl : t ? Ll : Rl)(n, t));
}
function Vl() {
	this.textContent = "";
}
function Hl(e) {
	return function() {
		this.textContent = e;
	};
}
function Ul(e) {
	return function() {
		var t = e.apply(this, arguments);
		this.textContent = t ?? "";
	};
}
function Wl(e) {
	return arguments.length ? this.each(e == null ? Vl : (typeof e == "function" ? Ul : Hl)(e)) : this.node().textContent;
}
function Gl() {
	this.innerHTML = "";
}
function Kl(e) {
	return function() {
		this.innerHTML = e;
	};
}
function ql(e) {
	return function() {
		var t = e.apply(this, arguments);
		this.innerHTML = t ?? "";
	};
}
function Jl(e) {
	return arguments.length ? this.each(e == null ? Gl : (typeof e == "function" ? ql : Kl)(e)) : this.node().innerHTML;
}
function Yl() {
	this.nextSibling && this.parentNode.appendChild(this);
}
function Xl() {
	return this.each(Yl);
}
function Zl() {
	this.previousSibling && this.parentNode.insertBefore(this, this.parentNode.firstChild);
}
function Ql() {
	return this.each(Zl);
}
function $l(e) {
	var t = typeof e == "function" ? e : Oc(e);
	return this.select(function() {
		return this.appendChild(t.apply(this, arguments));
	});
}
function eu() {
	return null;
}
function tu(e, t) {
	var n = typeof e == "function" ? e : Oc(e), r = t == null ? eu : typeof t == "function" ? t : Ac(t);
	return this.select(function() {
		return this.insertBefore(n.apply(this, arguments), r.apply(this, arguments) || null);
	});
}
function nu() {
	var e = this.parentNode;
	e && e.removeChild(this);
}
function ru() {
	return this.each(nu);
}
function iu() {
	var e = this.cloneNode(!1), t = this.parentNode;
	return t ? t.insertBefore(e, this.nextSibling) : e;
}
function au() {
	var e = this.cloneNode(!0), t = this.parentNode;
	return t ? t.insertBefore(e, this.nextSibling) : e;
}
function ou(e) {
	return this.select(e ? au : iu);
}
function su(e) {
	return arguments.length ? this.property("__data__", e) : this.node().__data__;
}
function cu(e) {
	return function(t) {
		e.call(this, t, this.__data__);
	};
}
function lu(e) {
	return e.trim().split(/^|\s+/).map(function(e) {
		var t = "", n = e.indexOf(".");
		return n >= 0 && (t = e.slice(n + 1), e = e.slice(0, n)), {
			type: e,
			name: t
		};
	});
}
function uu(e) {
	return function() {
		var t = this.__on;
		if (t) {
			for (var n = 0, r = -1, i = t.length, a; n < i; ++n) a = t[n], (!e.type || a.type === e.type) && a.name === e.name ? this.removeEventListener(a.type, a.listener, a.options) : t[++r] = a;
			++r ? t.length = r : delete this.__on;
		}
	};
}
function du(e, t, n) {
	return function() {
		var r = this.__on, i, a = cu(t);
		if (r) {
			for (var o = 0, s = r.length; o < s; ++o) if ((i = r[o]).type === e.type && i.name === e.name) {
				this.removeEventListener(i.type, i.listener, i.options), this.addEventListener(i.type, i.listener = a, i.options = n), i.value = t;
				return;
			}
		}
		this.addEventListener(e.type, a, n), i = {
			type: e.type,
			name: e.name,
			value: t,
			listener: a,
			options: n
		}, r ? r.push(i) : this.__on = [i];
	};
}
function fu(e, t, n) {
	var r = lu(e + ""), i, a = r.length, o;
	if (arguments.length < 2) {
		var s = this.node().__on;
		if (s) {
			for (var c = 0, l = s.length, u; c < l; ++c) for (i = 0, u = s[c]; i < a; ++i) if ((o = r[i]).type === u.type && o.name === u.name) return u.value;
		}
	} else {
		for (s = t ? du : uu, i = 0; i < a; ++i) this.each(s(r[i], t, n));
		return this;
	}
}
function pu(e, t, n) {
	var r = Sl(e), i = r.CustomEvent;
	typeof i == "function" ? i = new i(t, n) : (i = r.document.createEvent("Event"), n ? (i.initEvent(t, n.bubbles, n.cancelable), i.detail = n.detail) : i.initEvent(t, !1, !1)), e.dispatchEvent(i);
}
function mu(e, t) {
	return function() {
		return pu(this, e, t);
	};
}
function hu(e, t) {
	return function() {
		return pu(this, e, t.apply(this, arguments));
	};
}
function gu(e, t) {
	return this.each((typeof t == "function" ? hu : mu)(e, t));
}
function* _u() {
	for (var e = this._groups, t = 0, n = e.length; t < n; ++t) for (var r = e[t], i = 0, a = r.length, o; i < a; ++i) (o = r[i]) && (yield o);
}
var vu = [null];
function yu(e, t) {
	this._groups = e, this._parents = t;
}
function bu() {
	return new yu([[document.documentElement]], vu);
}
function xu() {
	return this;
}
yu.prototype = bu.prototype = {
	constructor: yu,
	select: jc,
	selectAll: Ic,
	selectChild: Hc,
	selectChildren: Kc,
	filter: qc,
	data: tl,
	enter: Yc,
	exit: rl,
	join: il,
	merge: al,
	selection: xu,
	order: ol,
	sort: sl,
	call: ll,
	nodes: ul,
	node: dl,
	size: fl,
	empty: pl,
	each: ml,
	attr: xl,
	style: El,
	property: jl,
	classed: Bl,
	text: Wl,
	html: Jl,
	raise: Xl,
	lower: Ql,
	append: $l,
	insert: tu,
	remove: ru,
	clone: ou,
	datum: su,
	on: fu,
	dispatch: gu,
	[Symbol.iterator]: _u
};
function Su(e) {
	return typeof e == "string" ? new yu([[document.querySelector(e)]], [document.documentElement]) : new yu([[e]], vu);
}
var Cu = 0;
function wu() {
	return new Tu();
}
function Tu() {
	this._ = "@" + (++Cu).toString(36);
}
Tu.prototype = wu.prototype = {
	constructor: Tu,
	get: function(e) {
		for (var t = this._; !(t in e);) if (!(e = e.parentNode)) return;
		return e[t];
	},
	set: function(e, t) {
		return e[this._] = t;
	},
	remove: function(e) {
		return this._ in e && delete e[this._];
	},
	toString: function() {
		return this._;
	}
};
function Eu(e) {
	let t;
	for (; t = e.sourceEvent;) e = t;
	return e;
}
function Du(e, t) {
	if (e = Eu(e), t === void 0 && (t = e.currentTarget), t) {
		var n = t.ownerSVGElement || t;
		if (n.createSVGPoint) {
			var r = n.createSVGPoint();
			return r.x = e.clientX, r.y = e.clientY, r = r.matrixTransform(t.getScreenCTM().inverse()), [r.x, r.y];
		}
		if (t.getBoundingClientRect) {
			var i = t.getBoundingClientRect();
			return [e.clientX - i.left - t.clientLeft, e.clientY - i.top - t.clientTop];
		}
	}
	return [e.pageX, e.pageY];
}
// node_modules/d3-dispatch/dist/d3-dispatch.mjs
var Ou = { value: () => {} };
function ku() {
	for (var e = 0, t = arguments.length, n = {}, r; e < t; ++e) {
		if (!(r = arguments[e] + "") || r in n || /[\s.]/.test(r)) throw Error("illegal type: " + r);
		n[r] = [];
	}
	return new Au(n);
}
function Au(e) {
	this._ = e;
}
function ju(e, t) {
	return e.trim().split(/^|\s+/).map(function(e) {
		var n = "", r = e.indexOf(".");
		if (r >= 0 && (n = e.slice(r + 1), e = e.slice(0, r)), e && !t.hasOwnProperty(e)) throw Error("unknown type: " + e);
		return {
			type: e,
			name: n
		};
	});
}
Au.prototype = ku.prototype = {
	constructor: Au,
	on: function(e, t) {
		var n = this._, r = ju(e + "", n), i, a = -1, o = r.length;
		if (arguments.length < 2) {
			for (; ++a < o;) if ((i = (e = r[a]).type) && (i = Mu(n[i], e.name))) return i;
		} else {
			if (t != null && typeof t != "function") throw Error("invalid callback: " + t);
			for (; ++a < o;) if (i = (e = r[a]).type) n[i] = Nu(n[i], e.name, t);
			else if (t == null) for (i in n) n[i] = Nu(n[i], e.name, null);
			return this;
		}
	},
	copy: function() {
		var e = {}, t = this._;
		for (var n in t) e[n] = t[n].slice();
		return new Au(e);
	},
	call: function(e, t) {
		if ((i = arguments.length - 2) > 0) for (var n = Array(i), r = 0, i, a; r < i; ++r) n[r] = arguments[r + 2];
		if (!this._.hasOwnProperty(e)) throw Error("unknown type: " + e);
		for (a = this._[e], r = 0, i = a.length; r < i; ++r) a[r].value.apply(t, n);
	},
	apply: function(e, t, n) {
		if (!this._.hasOwnProperty(e)) throw Error("unknown type: " + e);
		for (var r = this._[e], i = 0, a = r.length; i < a; ++i) r[i].value.apply(t, n);
	}
};
function Mu(e, t) {
	for (var n = 0, r = e.length, i; n < r; ++n) if ((i = e[n]).name === t) return i.value;
}
function Nu(e, t, n) {
	for (var r = 0, i = e.length; r < i; ++r) if (e[r].name === t) {
		e[r] = Ou, e = e.slice(0, r).concat(e.slice(r + 1));
		break;
	}
	return n != null && e.push({
		name: t,
		value: n
	}), e;
}
// node_modules/d3-drag/dist/d3-drag.mjs
var Pu = {
	capture: !0,
	passive: !1
};
function Fu(e) {
	e.preventDefault(), e.stopImmediatePropagation();
}
function Iu(e) {
	var t = e.document.documentElement, n = Su(e).on("dragstart.drag", Fu, Pu);
	"onselectstart" in t ? n.on("selectstart.drag", Fu, Pu) : (t.__noselect = t.style.MozUserSelect, t.style.MozUserSelect = "none");
}
function Lu(e, t) {
	var n = e.document.documentElement, r = Su(e).on("dragstart.drag", null);
	t && (r.on("click.drag", Fu, Pu), setTimeout(function() {
		r.on("click.drag", null);
	}, 0)), "onselectstart" in n ? r.on("selectstart.drag", null) : (n.style.MozUserSelect = n.__noselect, delete n.__noselect);
}
function Ru(e, { sourceEvent: t, subject: n, target: r, identifier: i, active: a, x: o, y: s, dx: c, dy: l, dispatch: u }) {
	Object.defineProperties(this, {
		type: {
			value: e,
			enumerable: !0,
			configurable: !0
		},
		sourceEvent: {
			value: t,
			enumerable: !0,
			configurable: !0
		},
		subject: {
			value: n,
			enumerable: !0,
			configurable: !0
		},
		target: {
			value: r,
			enumerable: !0,
			configurable: !0
		},
		identifier: {
			value: i,
			enumerable: !0,
			configurable: !0
		},
		active: {
			value: a,
			enumerable: !0,
			configurable: !0
		},
		x: {
			value: o,
			enumerable: !0,
			configurable: !0
		},
		y: {
			value: s,
			enumerable: !0,
			configurable: !0
		},
		dx: {
			value: c,
			enumerable: !0,
			configurable: !0
		},
		dy: {
			value: l,
			enumerable: !0,
			configurable: !0
		},
		_: { value: u }
	});
}
Ru.prototype.on = function() {
	var e = this._.on.apply(this._, arguments);
	return e === this._ ? this : e;
};
// node_modules/d3-color/dist/d3-color.mjs
function zu(e, t, n) {
	e.prototype = t.prototype = n, n.constructor = e;
}
function Bu(e, t) {
	var n = Object.create(e.prototype);
	for (var r in t) n[r] = t[r];
	return n;
}
function Vu() {}
var Hu = .7, Uu = 1 / Hu, Wu = "\\s*([+-]?\\d+)\\s*", Gu = "\\s*([+-]?(?:\\d*\\.)?\\d+(?:[eE][+-]?\\d+)?)\\s*", Ku = "\\s*([+-]?(?:\\d*\\.)?\\d+(?:[eE][+-]?\\d+)?)%\\s*", qu = /^#([0-9a-f]{3,8})$/, Ju = RegExp(`^rgb\\(${Wu},${Wu},${Wu}\\)$`), Yu = RegExp(`^rgb\\(${Ku},${Ku},${Ku}\\)$`), Xu = RegExp(`^rgba\\(${Wu},${Wu},${Wu},${Gu}\\)$`), Zu = RegExp(`^rgba\\(${Ku},${Ku},${Ku},${Gu}\\)$`), Qu = RegExp(`^hsl\\(${Gu},${Ku},${Ku}\\)$`), $u = RegExp(`^hsla\\(${Gu},${Ku},${Ku},${Gu}\\)$`), ed = {
	aliceblue: 15792383,
	antiquewhite: 16444375,
	aqua: 65535,
	aquamarine: 8388564,
	azure: 15794175,
	beige: 16119260,
	bisque: 16770244,
	black: 0,
	blanchedalmond: 16772045,
	blue: 255,
	blueviolet: 9055202,
	brown: 10824234,
	burlywood: 14596231,
	cadetblue: 6266528,
	chartreuse: 8388352,
	chocolate: 13789470,
	coral: 16744272,
	cornflowerblue: 6591981,
	cornsilk: 16775388,
	crimson: 14423100,
	cyan: 65535,
	darkblue: 139,
	darkcyan: 35723,
	darkgoldenrod: 12092939,
	darkgray: 11119017,
	darkgreen: 25600,
	darkgrey: 11119017,
	darkkhaki: 12433259,
	darkmagenta: 9109643,
	darkolivegreen: 5597999,
	darkorange: 16747520,
	darkorchid: 10040012,
	darkred: 9109504,
	darksalmon: 15308410,
	darkseagreen: 9419919,
	darkslateblue: 4734347,
	darkslategray: 3100495,
	darkslategrey: 3100495,
	darkturquoise: 52945,
	darkviolet: 9699539,
	deeppink: 16716947,
	deepskyblue: 49151,
	dimgray: 6908265,
	dimgrey: 6908265,
	dodgerblue: 2003199,
	firebrick: 11674146,
	floralwhite: 16775920,
	forestgreen: 2263842,
	fuchsia: 16711935,
	gainsboro: 14474460,
	ghostwhite: 16316671,
	gold: 16766720,
	goldenrod: 14329120,
	gray: 8421504,
	green: 32768,
	greenyellow: 11403055,
	grey: 8421504,
	honeydew: 15794160,
	hotpink: 16738740,
	indianred: 13458524,
	indigo: 4915330,
	ivory: 16777200,
	khaki: 15787660,
	lavender: 15132410,
	lavenderblush: 16773365,
	lawngreen: 8190976,
	lemonchiffon: 16775885,
	lightblue: 11393254,
	lightcoral: 15761536,
	lightcyan: 14745599,
	lightgoldenrodyellow: 16448210,
	lightgray: 13882323,
	lightgreen: 9498256,
	lightgrey: 13882323,
	lightpink: 16758465,
	lightsalmon: 16752762,
	lightseagreen: 2142890,
	lightskyblue: 8900346,
	lightslategray: 7833753,
	lightslategrey: 7833753,
	lightsteelblue: 11584734,
	lightyellow: 16777184,
	lime: 65280,
	limegreen: 3329330,
	linen: 16445670,
	magenta: 16711935,
	maroon: 8388608,
	mediumaquamarine: 6737322,
	mediumblue: 205,
	mediumorchid: 12211667,
	mediumpurple: 9662683,
	mediumseagreen: 3978097,
	mediumslateblue: 8087790,
	mediumspringgreen: 64154,
	mediumturquoise: 4772300,
	mediumvioletred: 13047173,
	midnightblue: 1644912,
	mintcream: 16121850,
	mistyrose: 16770273,
	moccasin: 16770229,
	navajowhite: 16768685,
	navy: 128,
	oldlace: 16643558,
	olive: 8421376,
	olivedrab: 7048739,
	orange: 16753920,
	orangered: 16729344,
	orchid: 14315734,
	palegoldenrod: 15657130,
	palegreen: 10025880,
	paleturquoise: 11529966,
	palevioletred: 14381203,
	papayawhip: 16773077,
	peachpuff: 16767673,
	peru: 13468991,
	pink: 16761035,
	plum: 14524637,
	powderblue: 11591910,
	purple: 8388736,
	rebeccapurple: 6697881,
	red: 16711680,
	rosybrown: 12357519,
	royalblue: 4286945,
	saddlebrown: 9127187,
	salmon: 16416882,
	sandybrown: 16032864,
	seagreen: 3050327,
	seashell: 16774638,
	sienna: 10506797,
	silver: 12632256,
	skyblue: 8900331,
	slateblue: 6970061,
	slategray: 7372944,
	slategrey: 7372944,
	snow: 16775930,
	springgreen: 65407,
	steelblue: 4620980,
	tan: 13808780,
	teal: 32896,
	thistle: 14204888,
	tomato: 16737095,
	turquoise: 4251856,
	violet: 15631086,
	wheat: 16113331,
	white: 16777215,
	whitesmoke: 16119285,
	yellow: 16776960,
	yellowgreen: 10145074
};
zu(Vu, ad, {
	copy(e) {
		return Object.assign(new this.constructor(), this, e);
	},
	displayable() {
		return this.rgb().displayable();
	},
	hex: td,
	formatHex: td,
	formatHex8: nd,
	formatHsl: rd,
	formatRgb: id,
	toString: id
});
function td() {
	return this.rgb().formatHex();
}
function nd() {
	return this.rgb().formatHex8();
}
function rd() {
	return _d(this).formatHsl();
}
function id() {
	return this.rgb().formatRgb();
}
function ad(e) {
	var t, n;
	return e = (e + "").trim().toLowerCase(), (t = qu.exec(e)) ? (n = t[1].length, t = parseInt(t[1], 16), n === 6 ? od(t) : n === 3 ? new $(t >> 8 & 15 | t >> 4 & 240, t >> 4 & 15 | t & 240, (t & 15) << 4 | t & 15, 1) : n === 8 ? sd(t >> 24 & 255, t >> 16 & 255, t >> 8 & 255, (t & 255) / 255) : n === 4 ? sd(t >> 12 & 15 | t >> 8 & 240, t >> 8 & 15 | t >> 4 & 240, t >> 4 & 15 | t & 240, ((t & 15) << 4 | t & 15) / 255) : null) : (t = Ju.exec(e)) ? new $(t[1], t[2], t[3], 1) : (t = Yu.exec(e)) ? new $(t[1] * 255 / 100, t[2] * 255 / 100, t[3] * 255 / 100, 1) : (t = Xu.exec(e)) ? sd(t[1], t[2], t[3], t[4]) : (t = Zu.exec(e)) ? sd(t[1] * 255 / 100, t[2] * 255 / 100, t[3] * 255 / 100, t[4]) : (t = Qu.exec(e)) ? gd(t[1], t[2] / 100, t[3] / 100, 1) : (t = $u.exec(e)) ? gd(t[1], t[2] / 100, t[3] / 100, t[4]) : ed.hasOwnProperty(e) ? od(ed[e]) : e === "transparent" ? new $(NaN, NaN, NaN, 0) : null;
}
function od(e) {
	return new $(e >> 16 & 255, e >> 8 & 255, e & 255, 1);
}
function sd(e, t, n, r) {
	return r <= 0 && (e = t = n = NaN), new $(e, t, n, r);
}
function cd(e) {
	return e instanceof Vu || (e = ad(e)), e ? (e = e.rgb(), new $(e.r, e.g, e.b, e.opacity)) : new $();
}
function ld(e, t, n, r) {
	return arguments.length === 1 ? cd(e) : new $(e, t, n, r ?? 1);
}
function $(e, t, n, r) {
	this.r = +e, this.g = +t, this.b = +n, this.opacity = +r;
}
zu($, ld, Bu(Vu, {
	brighter(e) {
		return e = e == null ? Uu : Uu ** +e, new $(this.r * e, this.g * e, this.b * e, this.opacity);
	},
	darker(e) {
		return e = e == null ? Hu : Hu ** +e, new $(this.r * e, this.g * e, this.b * e, this.opacity);
	},
	rgb() {
		return this;
	},
	clamp() {
		return new $(md(this.r), md(this.g), md(this.b), pd(this.opacity));
	},
	displayable() {
		return -.5 <= this.r && this.r < 255.5 && -.5 <= this.g && this.g < 255.5 && -.5 <= this.b && this.b < 255.5 && 0 <= this.opacity && this.opacity <= 1;
	},
	hex: ud,
	formatHex: ud,
	formatHex8: dd,
	formatRgb: fd,
	toString: fd
}));
function ud() {
	return `#${hd(this.r)}${hd(this.g)}${hd(this.b)}`;
}
function dd() {
	return `#${hd(this.r)}${hd(this.g)}${hd(this.b)}${hd((isNaN(this.opacity) ? 1 : this.opacity) * 255)}`;
}
function fd() {
	let e = pd(this.opacity);
	return `${e === 1 ? "rgb(" : "rgba("}${md(this.r)}, ${md(this.g)}, ${md(this.b)}${e === 1 ? ")" : `, ${e})`}`;
}
function pd(e) {
	return isNaN(e) ? 1 : Math.max(0, Math.min(1, e));
}
function md(e) {
	return Math.max(0, Math.min(255, Math.round(e) || 0));
}
function hd(e) {
	return e = md(e), (e < 16 ? "0" : "") + e.toString(16);
}
function gd(e, t, n, r) {
	return r <= 0 ? e = t = n = NaN : n <= 0 || n >= 1 ? e = t = NaN : t <= 0 && (e = NaN), new yd(e, t, n, r);
}
function _d(e) {
	if (e instanceof yd) return new yd(e.h, e.s, e.l, e.opacity);
	if (e instanceof Vu || (e = ad(e)), !e) return new yd();
	if (e instanceof yd) return e;
	e = e.rgb();
	var t = e.r / 255, n = e.g / 255, r = e.b / 255, i = Math.min(t, n, r), a = Math.max(t, n, r), o = NaN, s = a - i, c = (a + i) / 2;
	return s ? (o = t === a ? (n - r) / s + (n < r) * 6 : n === a ? (r - t) / s + 2 : (t - n) / s + 4, s /= c < .5 ? a + i : 2 - a - i, o *= 60) : s = c > 0 && c < 1 ? 0 : o, new yd(o, s, c, e.opacity);
}
function vd(e, t, n, r) {
	return arguments.length === 1 ? _d(e) : new yd(e, t, n, r ?? 1);
}
function yd(e, t, n, r) {
	this.h = +e, this.s = +t, this.l = +n, this.opacity = +r;
}
zu(yd, vd, Bu(Vu, {
	brighter(e) {
		return e = e == null ? Uu : Uu ** +e, new yd(this.h, this.s, this.l * e, this.opacity);
	},
	darker(e) {
		return e = e == null ? Hu : Hu ** +e, new yd(this.h, this.s, this.l * e, this.opacity);
	},
	rgb() {
		var e = this.h % 360 + (this.h < 0) * 360, t = isNaN(e) || isNaN(this.s) ? 0 : this.s, n = this.l, r = n + (n < .5 ? n : 1 - n) * t, i = 2 * n - r;
		return new $(Sd(e >= 240 ? e - 240 : e + 120, i, r), Sd(e, i, r), Sd(e < 120 ? e + 240 : e - 120, i, r), this.opacity);
	},
	clamp() {
		return new yd(bd(this.h), xd(this.s), xd(this.l), pd(this.opacity));
	},
	displayable() {
		return (0 <= this.s && this.s <= 1 || isNaN(this.s)) && 0 <= this.l && this.l <= 1 && 0 <= this.opacity && this.opacity <= 1;
	},
	formatHsl() {
		let e = pd(this.opacity);
		return `${e === 1 ? "hsl(" : "hsla("}${bd(this.h)}, ${xd(this.s) * 100}%, ${xd(this.l) * 100}%${e === 1 ? ")" : `, ${e})`}`;
	}
}));
function bd(e) {
	return e = (e || 0) % 360, e < 0 ? e + 360 : e;
}
function xd(e) {
	return Math.max(0, Math.min(1, e || 0));
}
function Sd(e, t, n) {
	return (e < 60 ? t + (n - t) * e / 60 : e < 180 ? n : e < 240 ? t + (n - t) * (240 - e) / 60 : t) * 255;
}
var Cd = Math.PI / 180, wd = 180 / Math.PI, Td = 18, Ed = .96422, Dd = 1, Od = .82521, kd = 4 / 29, Ad = 6 / 29, jd = 3 * Ad * Ad, Md = Ad * Ad * Ad;
function Nd(e) {
	if (e instanceof Fd) return new Fd(e.l, e.a, e.b, e.opacity);
	if (e instanceof Hd) return Ud(e);
	e instanceof $ || (e = cd(e));
	var t = zd(e.r), n = zd(e.g), r = zd(e.b), i = Id((.2225045 * t + .7168786 * n + .0606169 * r) / Dd), a, o;
	return t === n && n === r ? a = o = i : (a = Id((.4360747 * t + .3850649 * n + .1430804 * r) / Ed), o = Id((.0139322 * t + .0971045 * n + .7141733 * r) / Od)), new Fd(116 * i - 16, 500 * (a - i), 200 * (i - o), e.opacity);
}
function Pd(e, t, n, r) {
	return arguments.length === 1 ? Nd(e) : new Fd(e, t, n, r ?? 1);
}
function Fd(e, t, n, r) {
	this.l = +e, this.a = +t, this.b = +n, this.opacity = +r;
}
zu(Fd, Pd, Bu(Vu, {
	brighter(e) {
		return new Fd(this.l + Td * (e ?? 1), this.a, this.b, this.opacity);
	},
	darker(e) {
		return new Fd(this.l - Td * (e ?? 1), this.a, this.b, this.opacity);
	},
	rgb() {
		var e = (this.l + 16) / 116, t = isNaN(this.a) ? e : e + this.a / 500, n = isNaN(this.b) ? e : e - this.b / 200;
		return t = Ed * Ld(t), e = Dd * Ld(e), n = Od * Ld(n), new $(Rd(3.1338561 * t - 1.6168667 * e - .4906146 * n), Rd(-.9787684 * t + 1.9161415 * e + .033454 * n), Rd(.0719453 * t - .2289914 * e + 1.4052427 * n), this.opacity);
	}
}));
function Id(e) {
	return e > Md ? e ** (1 / 3) : e / jd + kd;
}
function Ld(e) {
	return e > Ad ? e * e * e : jd * (e - kd);
}
function Rd(e) {
	return 255 * (e <= .0031308 ? 12.92 * e : 1.055 * e ** (1 / 2.4) - .055);
}
function zd(e) {
	return (e /= 255) <= .04045 ? e / 12.92 : ((e + .055) / 1.055) ** 2.4;
}
function Bd(e) {
	if (e instanceof Hd) return new Hd(e.h, e.c, e.l, e.opacity);
	if (e instanceof Fd || (e = Nd(e)), e.a === 0 && e.b === 0) return new Hd(NaN, 0 < e.l && e.l < 100 ? 0 : NaN, e.l, e.opacity);
	var t = Math.atan2(e.b, e.a) * wd;
	return new Hd(t < 0 ? t + 360 : t, Math.sqrt(e.a * e.a + e.b * e.b), e.l, e.opacity);
}
function Vd(e, t, n, r) {
	return arguments.length === 1 ? Bd(e) : new Hd(e, t, n, r ?? 1);
}
function Hd(e, t, n, r) {
	this.h = +e, this.c = +t, this.l = +n, this.opacity = +r;
}
function Ud(e) {
	if (isNaN(e.h)) return new Fd(e.l, 0, 0, e.opacity);
	var t = e.h * Cd;
	return new Fd(e.l, Math.cos(t) * e.c, Math.sin(t) * e.c, e.opacity);
}
zu(Hd, Vd, Bu(Vu, {
	brighter(e) {
		return new Hd(this.h, this.c, this.l + Td * (e ?? 1), this.opacity);
	},
	darker(e) {
		return new Hd(this.h, this.c, this.l - Td * (e ?? 1), this.opacity);
	},
	rgb() {
		return Ud(this).rgb();
	}
}));
var Wd = -.14861, Gd = 1.78277, Kd = -.29227, qd = -.90649, Jd = 1.97294, Yd = Jd * qd, Xd = Jd * Gd, Zd = Gd * Kd - qd * Wd;
function Qd(e) {
	if (e instanceof ef) return new ef(e.h, e.s, e.l, e.opacity);
	e instanceof $ || (e = cd(e));
	var t = e.r / 255, n = e.g / 255, r = e.b / 255, i = (Zd * r + Yd * t - Xd * n) / (Zd + Yd - Xd), a = r - i, o = (Jd * (n - i) - Kd * a) / qd, s = Math.sqrt(o * o + a * a) / (Jd * i * (1 - i)), c = s ? Math.atan2(o, a) * wd - 120 : NaN;
	return new ef(c < 0 ? c + 360 : c, s, i, e.opacity);
}
function $d(e, t, n, r) {
	return arguments.length === 1 ? Qd(e) : new ef(e, t, n, r ?? 1);
}
function ef(e, t, n, r) {
	this.h = +e, this.s = +t, this.l = +n, this.opacity = +r;
}
zu(ef, $d, Bu(Vu, {
	brighter(e) {
		return e = e == null ? Uu : Uu ** +e, new ef(this.h, this.s, this.l * e, this.opacity);
	},
	darker(e) {
		return e = e == null ? Hu : Hu ** +e, new ef(this.h, this.s, this.l * e, this.opacity);
	},
	rgb() {
		var e = isNaN(this.h) ? 0 : (this.h + 120) * Cd, t = +this.l, n = isNaN(this.s) ? 0 : this.s * t * (1 - t), r = Math.cos(e), i = Math.sin(e);
		return new $(255 * (t + n * (Wd * r + Gd * i)), 255 * (t + n * (Kd * r + qd * i)), 255 * (t + Jd * r * n), this.opacity);
	}
}));
var tf = (e) => () => e;
function nf(e, t) {
	return function(n) {
		return e + n * t;
	};
}
function rf(e, t, n) {
	return e **= +n, t = t ** +n - e, n = 1 / n, function(r) {
		return (e + r * t) ** +n;
	};
}
function af(e, t) {
	var n = t - e;
	return n ? nf(e, n > 180 || n < -180 ? n - 360 * Math.round(n / 360) : n) : tf(isNaN(e) ? t : e);
}
function of(e) {
	return (e = +e) == 1 ? sf : function(t, n) {
		return n - t ? rf(t, n, e) : tf(isNaN(t) ? n : t);
	};
}
function sf(e, t) {
	var n = t - e;
	return n ? nf(e, n) : tf(isNaN(e) ? t : e);
}
var cf = (function e(t) {
	var n = of(t);
	function r(e, t) {
		var r = n((e = ld(e)).r, (t = ld(t)).r), i = n(e.g, t.g), a = n(e.b, t.b), o = sf(e.opacity, t.opacity);
		return function(t) {
			return e.r = r(t), e.g = i(t), e.b = a(t), e.opacity = o(t), e + "";
		};
	}
	return r.gamma = e, r;
})(1);
function lf(e, t) {
	t ||= [];
	var n = e ? Math.min(t.length, e.length) : 0, r = t.slice(), i;
	return function(a) {
		for (i = 0; i < n; ++i) r[i] = e[i] * (1 - a) + t[i] * a;
		return r;
	};
}
function uf(e) {
	return ArrayBuffer.isView(e) && !(e instanceof DataView);
}
function df(e, t) {
	for (var n = t ? t.length : 0, r = e ? Math.min(n, e.length) : 0, i = Array(r), a = Array(n), o = 0; o < r; ++o) i[o] = bf(e[o], t[o]);
	for (; o < n; ++o) a[o] = t[o];
	return function(e) {
		for (o = 0; o < r; ++o) a[o] = i[o](e);
		return a;
	};
}
function ff(e, t) {
	var n = /* @__PURE__ */ new Date();
	return e = +e, t = +t, function(r) {
		return n.setTime(e * (1 - r) + t * r), n;
	};
}
function pf(e, t) {
	return e = +e, t = +t, function(n) {
		return e * (1 - n) + t * n;
	};
}
function mf(e, t) {
	var n = {}, r = {}, i;
	for (i in typeof e == "object" && e || (e = {}), typeof t == "object" && t || (t = {}), t) i in e ? n[i] = bf(e[i], t[i]) : r[i] = t[i];
	return function(e) {
		for (i in n) r[i] = n[i](e);
		return r;
	};
}
var hf = /[-+]?(?:\d+\.?\d*|\.?\d+)(?:[eE][-+]?\d+)?/g, gf = new RegExp(hf.source, "g");
function _f(e) {
	return function() {
		return e;
	};
}
function vf(e) {
	return function(t) {
		return e(t) + "";
	};
}
function yf(e, t) {
	var n = hf.lastIndex = gf.lastIndex = 0, r, i, a, o = -1, s = [], c = [];
	for (e += "", t += ""; (r = hf.exec(e)) && (i = gf.exec(t));) (a = i.index) > n && (a = t.slice(n, a), s[o] ? s[o] += a : s[++o] = a), (r = r[0]) === (i = i[0]) ? s[o] ? s[o] += i : s[++o] = i : (s[++o] = null, c.push({
		i: o,
		x: pf(r, i)
	})), n = gf.lastIndex;
	return n < t.length && (a = t.slice(n), s[o] ? s[o] += a : s[++o] = a), s.length < 2 ? c[0] ? vf(c[0].x) : _f(t) : (t = c.length, function(e) {
		for (var n = 0, r; n < t; ++n) s[(r = c[n]).i] = r.x(e);
		return s.join("");
	});
}
function bf(e, t) {
	var n = typeof t, r;
	return t == null || n === "boolean" ? tf(t) : (n === "number" ? pf : n === "string" ? (r = ad(t)) ? (t = r, cf) : yf : t instanceof ad ? cf : t instanceof Date ? ff : uf(t) ? lf : Array.isArray(t) ? df : typeof t.valueOf != "function" && typeof t.toString != "function" || isNaN(t) ? mf : pf)(e, t);
}
function xf(e, t) {
	return e = +e, t = +t, function(n) {
		return Math.round(e * (1 - n) + t * n);
	};
}
var Sf = 180 / Math.PI, Cf = {
	translateX: 0,
	translateY: 0,
	rotate: 0,
	skewX: 0,
	scaleX: 1,
	scaleY: 1
};
function wf(e, t, n, r, i, a) {
	var o, s, c;
	return (o = Math.sqrt(e * e + t * t)) && (e /= o, t /= o), (c = e * n + t * r) && (n -= e * c, r -= t * c), (s = Math.sqrt(n * n + r * r)) && (n /= s, r /= s, c /= s), e * r < t * n && (e = -e, t = -t, c = -c, o = -o), {
		translateX: i,
		translateY: a,
		rotate: Math.atan2(t, e) * Sf,
		skewX: Math.atan(c) * Sf,
		scaleX: o,
		scaleY: s
	};
}
var Tf;
function Ef(e) {
	let t = new (typeof DOMMatrix == "function" ? DOMMatrix : WebKitCSSMatrix)(e + "");
	return t.isIdentity ? Cf : wf(t.a, t.b, t.c, t.d, t.e, t.f);
}
function Df(e) {
	return e == null || (Tf ||= document.createElementNS("http://www.w3.org/2000/svg", "g"), Tf.setAttribute("transform", e), !(e = Tf.transform.baseVal.consolidate())) ? Cf : (e = e.matrix, wf(e.a, e.b, e.c, e.d, e.e, e.f));
}
function Of(e, t, n, r) {
	function i(e) {
		return e.length ? e.pop() + " " : "";
	}
	function a(e, r, i, a, o, s) {
		if (e !== i || r !== a) {
			var c = o.push("translate(", null, t, null, n);
			s.push({
				i: c - 4,
				x: pf(e, i)
			}, {
				i: c - 2,
				x: pf(r, a)
			});
		} else (i || a) && o.push("translate(" + i + t + a + n);
	}
	function o(e, t, n, a) {
		e === t ? t && n.push(i(n) + "rotate(" + t + r) : (e - t > 180 ? t += 360 : t - e > 180 && (e += 360), a.push({
			i: n.push(i(n) + "rotate(", null, r) - 2,
			x: pf(e, t)
		}));
	}
	function s(e, t, n, a) {
		e === t ? t && n.push(i(n) + "skewX(" + t + r) : a.push({
			i: n.push(i(n) + "skewX(", null, r) - 2,
			x: pf(e, t)
		});
	}
	function c(e, t, n, r, a, o) {
		if (e !== n || t !== r) {
			var s = a.push(i(a) + "scale(", null, ",", null, ")");
			o.push({
				i: s - 4,
				x: pf(e, n)
			}, {
				i: s - 2,
				x: pf(t, r)
			});
		} else (n !== 1 || r !== 1) && a.push(i(a) + "scale(" + n + "," + r + ")");
	}
	return function(t, n) {
		var r = [], i = [];
		return t = e(t), n = e(n), a(t.translateX, t.translateY, n.translateX, n.translateY, r, i), o(t.rotate, n.rotate, r, i), s(t.skewX, n.skewX, r, i), c(t.scaleX, t.scaleY, n.scaleX, n.scaleY, r, i), t = n = null, function(e) {
			for (var t = -1, n = i.length, a; ++t < n;) r[(a = i[t]).i] = a.x(e);
			return r.join("");
		};
	};
}
var kf = Of(Ef, "px, ", "px)", "deg)"), Af = Of(Df, ", ", ")", ")"), jf = 1e-12;
function Mf(e) {
	return ((e = Math.exp(e)) + 1 / e) / 2;
}
function Nf(e) {
	return ((e = Math.exp(e)) - 1 / e) / 2;
}
function Pf(e) {
	return ((e = Math.exp(2 * e)) - 1) / (e + 1);
}
var Ff = (function e(t, n, r) {
	function i(e, i) {
		var a = e[0], o = e[1], s = e[2], c = i[0], l = i[1], u = i[2], d = c - a, f = l - o, p = d * d + f * f, m, h;
		if (p < jf) h = Math.log(u / s) / t, m = function(e) {
			return [
				a + e * d,
				o + e * f,
				s * Math.exp(t * e * h)
			];
		};
		else {
			var g = Math.sqrt(p), _ = (u * u - s * s + r * p) / (2 * s * n * g), v = (u * u - s * s - r * p) / (2 * u * n * g), y = Math.log(Math.sqrt(_ * _ + 1) - _);
			h = (Math.log(Math.sqrt(v * v + 1) - v) - y) / t, m = function(e) {
				var r = e * h, i = Mf(y), c = s / (n * g) * (i * Pf(t * r + y) - Nf(y));
				return [
					a + c * d,
					o + c * f,
					s * i / Mf(t * r + y)
				];
			};
		}
		return m.duration = Math.abs(h) * 1e3 * t / Math.SQRT2, m;
	}
	return i.rho = function(t) {
		var n = Math.max(.001, +t), r = n * n;
		return e(n, r, r * r);
	}, i;
})(Math.SQRT2, 2, 4);
function If(e) {
	return (function t(n) {
		n = +n;
		function r(t, r) {
			var i = e((t = $d(t)).h, (r = $d(r)).h), a = sf(t.s, r.s), o = sf(t.l, r.l), s = sf(t.opacity, r.opacity);
			return function(e) {
				return t.h = i(e), t.s = a(e), t.l = o(e ** +n), t.opacity = s(e), t + "";
			};
		}
		return r.gamma = t, r;
	})(1);
}
If(af), If(sf);
// node_modules/d3-timer/dist/d3-timer.mjs
var Lf = 0, Rf = 0, zf = 0, Bf = 1e3, Vf, Hf, Uf = 0, Wf = 0, Gf = 0, Kf = typeof performance == "object" && performance.now ? performance : Date, qf = typeof window == "object" && window.requestAnimationFrame ? window.requestAnimationFrame.bind(window) : function(e) {
	setTimeout(e, 17);
};
function Jf() {
	return Wf ||= (qf(Yf), Kf.now() + Gf);
}
function Yf() {
	Wf = 0;
}
function Xf() {
	this._call = this._time = this._next = null;
}
Xf.prototype = Zf.prototype = {
	constructor: Xf,
	restart: function(e, t, n) {
		if (typeof e != "function") throw TypeError("callback is not a function");
		n = (n == null ? Jf() : +n) + (t == null ? 0 : +t), !this._next && Hf !== this && (Hf ? Hf._next = this : Vf = this, Hf = this), this._call = e, this._time = n, np();
	},
	stop: function() {
		this._call && (this._call = null, this._time = Infinity, np());
	}
};
function Zf(e, t, n) {
	var r = new Xf();
	return r.restart(e, t, n), r;
}
function Qf() {
	Jf(), ++Lf;
	for (var e = Vf, t; e;) (t = Wf - e._time) >= 0 && e._call.call(void 0, t), e = e._next;
	--Lf;
}
function $f() {
	Wf = (Uf = Kf.now()) + Gf, Lf = Rf = 0;
	try {
		Qf();
	} finally {
		Lf = 0, tp(), Wf = 0;
	}
}
function ep() {
	var e = Kf.now(), t = e - Uf;
	t > Bf && (Gf -= t, Uf = e);
}
function tp() {
	for (var e, t = Vf, n, r = Infinity; t;) t._call ? (r > t._time && (r = t._time), e = t, t = t._next) : (n = t._next, t._next = null, t = e ? e._next = n : Vf = n);
	Hf = e, np(r);
}
function np(e) {
	Lf || (Rf &&= clearTimeout(Rf), e - Wf > 24 ? (e < Infinity && (Rf = setTimeout($f, Math.ceil(e - Kf.now() - Gf) + 1)), zf &&= clearInterval(zf)) : (zf ||= (Uf = Kf.now(), setInterval(ep, Bf)), Lf = 1, qf($f)));
}
function rp(e, t, n) {
	var r = new Xf();
	return t = t == null ? 0 : +t, r.restart((n) => {
		r.stop(), e(n + t);
	}, t, n), r;
}
// node_modules/d3-ease/dist/d3-ease.mjs
function ip(e) {
	return ((e *= 2) <= 1 ? e * e * e : (e -= 2) * e * e + 2) / 2;
}
var ap = 3;
(function e(t) {
	t = +t;
	function n(e) {
		return e ** +t;
	}
	return n.exponent = e, n;
})(ap), (function e(t) {
	t = +t;
	function n(e) {
		return 1 - (1 - e) ** t;
	}
	return n.exponent = e, n;
})(ap), (function e(t) {
	t = +t;
	function n(e) {
		return ((e *= 2) <= 1 ? e ** +t : 2 - (2 - e) ** t) / 2;
	}
	return n.exponent = e, n;
})(ap);
function op(e) {
	return (2 ** (-10 * e) - .0009765625) * 1.0009775171065494;
}
var sp = 4 / 11;
1 / sp / sp;
var cp = 1.70158;
(function e(t) {
	t = +t;
	function n(e) {
		return (e = +e) * e * (t * (e - 1) + e);
	}
	return n.overshoot = e, n;
})(cp), (function e(t) {
	t = +t;
	function n(e) {
		return --e * e * ((e + 1) * t + e) + 1;
	}
	return n.overshoot = e, n;
})(cp), (function e(t) {
	t = +t;
	function n(e) {
		return ((e *= 2) < 1 ? e * e * ((t + 1) * e - t) : (e -= 2) * e * ((t + 1) * e + t) + 2) / 2;
	}
	return n.overshoot = e, n;
})(cp);
var lp = 2 * Math.PI, up = 1, dp = .3;
(function e(t, n) {
	var r = Math.asin(1 / (t = Math.max(1, t))) * (n /= lp);
	function i(e) {
		return t * op(- --e) * Math.sin((r - e) / n);
	}
	return i.amplitude = function(t) {
		return e(t, n * lp);
	}, i.period = function(n) {
		return e(t, n);
	}, i;
})(up, dp), (function e(t, n) {
	var r = Math.asin(1 / (t = Math.max(1, t))) * (n /= lp);
	function i(e) {
		return 1 - t * op(e = +e) * Math.sin((e + r) / n);
	}
	return i.amplitude = function(t) {
		return e(t, n * lp);
	}, i.period = function(n) {
		return e(t, n);
	}, i;
})(up, dp), (function e(t, n) {
	var r = Math.asin(1 / (t = Math.max(1, t))) * (n /= lp);
	function i(e) {
		return ((e = e * 2 - 1) < 0 ? t * op(-e) * Math.sin((r - e) / n) : 2 - t * op(e) * Math.sin((r + e) / n)) / 2;
	}
	return i.amplitude = function(t) {
		return e(t, n * lp);
	}, i.period = function(n) {
		return e(t, n);
	}, i;
})(up, dp);
// node_modules/d3-transition/dist/d3-transition.mjs
var fp = ku("start", "end", "cancel", "interrupt"), pp = [], mp = 0, hp = 1, gp = 2, _p = 3, vp = 4, yp = 5, bp = 6;
function xp(e, t, n, r, i, a) {
	var o = e.__transition;
	if (!o) e.__transition = {};
	else if (n in o) return;
	Tp(e, n, {
		name: t,
		index: r,
		group: i,
		on: fp,
		tween: pp,
		time: a.time,
		delay: a.delay,
		duration: a.duration,
		ease: a.ease,
		timer: null,
		state: mp
	});
}
function Sp(e, t) {
	var n = wp(e, t);
	if (n.state > mp) throw Error("too late; already scheduled");
	return n;
}
function Cp(e, t) {
	var n = wp(e, t);
	if (n.state > _p) throw Error("too late; already running");
	return n;
}
function wp(e, t) {
	var n = e.__transition;
	if (!n || !(n = n[t])) throw Error("transition not found");
	return n;
}
function Tp(e, t, n) {
	var r = e.__transition, i;
	r[t] = n, n.timer = Zf(a, 0, n.time);
	function a(e) {
		n.state = hp, n.timer.restart(o, n.delay, n.time), n.delay <= e && o(e - n.delay);
	}
	function o(a) {
		var l, u, d, f;
		if (n.state !== hp) return c();
		for (l in r) if (f = r[l], f.name === n.name) {
			if (f.state === _p) return rp(o);
			f.state === vp ? (f.state = bp, f.timer.stop(), f.on.call("interrupt", e, e.__data__, f.index, f.group), delete r[l]) : +l < t && (f.state = bp, f.timer.stop(), f.on.call("cancel", e, e.__data__, f.index, f.group), delete r[l]);
		}
		if (rp(function() {
			n.state === _p && (n.state = vp, n.timer.restart(s, n.delay, n.time), s(a));
		}), n.state = gp, n.on.call("start", e, e.__data__, n.index, n.group), n.state === gp) {
			for (n.state = _p, i = Array(d = n.tween.length), l = 0, u = -1; l < d; ++l) (f = n.tween[l].value.call(e, e.__data__, n.index, n.group)) && (i[++u] = f);
			i.length = u + 1;
		}
	}
	function s(t) {
		for (var r = t < n.duration ? n.ease.call(null, t / n.duration) : (n.timer.restart(c), n.state = yp, 1), a = -1, o = i.length; ++a < o;) i[a].call(e, r);
		n.state === yp && (n.on.call("end", e, e.__data__, n.index, n.group), c());
	}
	function c() {
		for (var i in n.state = bp, n.timer.stop(), delete r[t], r) return;
		delete e.__transition;
	}
}
function Ep(e, t) {
	var n = e.__transition, r, i, a = !0, o;
	if (n) {
		for (o in t = t == null ? null : t + "", n) (r = n[o]).name === t ? (i = r.state > gp && r.state < yp, r.state = bp, r.timer.stop(), r.on.call(i ? "interrupt" : "cancel", e, e.__data__, r.index, r.group), delete n[o]) : a = !1;
		a && delete e.__transition;
	}
}
function Dp(e) {
	return this.each(function() {
		Ep(this, e);
	});
}
function Op(e, t) {
	var n, r;
	return function() {
		var i = Cp(this, e), a = i.tween;
		if (a !== n) {
			r = n = a;
			for (var o = 0, s = r.length; o < s; ++o) if (r[o].name === t) {
				r = r.slice(), r.splice(o, 1);
				break;
			}
		}
		i.tween = r;
	};
}
function kp(e, t, n) {
	var r, i;
	if (typeof n != "function") throw Error();
	return function() {
		var a = Cp(this, e), o = a.tween;
		if (o !== r) {
			i = (r = o).slice();
			for (var s = {
				name: t,
				value: n
			}, c = 0, l = i.length; c < l; ++c) if (i[c].name === t) {
				i[c] = s;
				break;
			}
			c === l && i.push(s);
		}
		a.tween = i;
	};
}
function Ap(e, t) {
	var n = this._id;
	if (e += "", arguments.length < 2) {
		for (var r = wp(this.node(), n).tween, i = 0, a = r.length, o; i < a; ++i) if ((o = r[i]).name === e) return o.value;
		return null;
	}
	return this.each((t == null ? Op : kp)(n, e, t));
}
function jp(e, t, n) {
	var r = e._id;
	return e.each(function() {
		var e = Cp(this, r);
		(e.value ||= {})[t] = n.apply(this, arguments);
	}), function(e) {
		return wp(e, r).value[t];
	};
}
function Mp(e, t) {
	var n;
	return (typeof t == "number" ? pf : t instanceof ad ? cf : (n = ad(t)) ? (t = n, cf) : yf)(e, t);
}
function Np(e) {
	return function() {
		this.removeAttribute(e);
	};
}
function Pp(e) {
	return function() {
		this.removeAttributeNS(e.space, e.local);
	};
}
function Fp(e, t, n) {
	var r, i = n + "", a;
	return function() {
		var o = this.getAttribute(e);
		return o === i ? null : o === r ? a : a = t(r = o, n);
	};
}
function Ip(e, t, n) {
	var r, i = n + "", a;
	return function() {
		var o = this.getAttributeNS(e.space, e.local);
		return o === i ? null : o === r ? a : a = t(r = o, n);
	};
}
function Lp(e, t, n) {
	var r, i, a;
	return function() {
		var o, s = n(this), c;
		return s == null ? void this.removeAttribute(e) : (o = this.getAttribute(e), c = s + "", o === c ? null : o === r && c === i ? a : (i = c, a = t(r = o, s)));
	};
}
function Rp(e, t, n) {
	var r, i, a;
	return function() {
		var o, s = n(this), c;
		return s == null ? void this.removeAttributeNS(e.space, e.local) : (o = this.getAttributeNS(e.space, e.local), c = s + "", o === c ? null : o === r && c === i ? a : (i = c, a = t(r = o, s)));
	};
}
function zp(e, t) {
	var n = Tc(e), r = n === "transform" ? Af : Mp;
	return this.attrTween(e, typeof t == "function" ? (n.local ? Rp : Lp)(n, r, jp(this, "attr." + e, t)) : t == null ? (n.local ? Pp : Np)(n) : (n.local ? Ip : Fp)(n, r, t));
}
function Bp(e, t) {
	return function(n) {
		this.setAttribute(e, t.call(this, n));
	};
}
function Vp(e, t) {
	return function(n) {
		this.setAttributeNS(e.space, e.local, t.call(this, n));
	};
}
function Hp(e, t) {
	var n, r;
	function i() {
		var i = t.apply(this, arguments);
		return i !== r && (n = (r = i) && Vp(e, i)), n;
	}
	return i._value = t, i;
}
function Up(e, t) {
	var n, r;
	function i() {
		var i = t.apply(this, arguments);
		return i !== r && (n = (r = i) && Bp(e, i)), n;
	}
	return i._value = t, i;
}
function Wp(e, t) {
	var n = "attr." + e;
	if (arguments.length < 2) return (n = this.tween(n)) && n._value;
	if (t == null) return this.tween(n, null);
	if (typeof t != "function") throw Error();
	var r = Tc(e);
	return this.tween(n, (r.local ? Hp : Up)(r, t));
}
function Gp(e, t) {
	return function() {
		Sp(this, e).delay = +t.apply(this, arguments);
	};
}
function Kp(e, t) {
	return t = +t, function() {
		Sp(this, e).delay = t;
	};
}
function qp(e) {
	var t = this._id;
	return arguments.length ? this.each((typeof e == "function" ? Gp : Kp)(t, e)) : wp(this.node(), t).delay;
}
function Jp(e, t) {
	return function() {
		Cp(this, e).duration = +t.apply(this, arguments);
	};
}
function Yp(e, t) {
	return t = +t, function() {
		Cp(this, e).duration = t;
	};
}
function Xp(e) {
	var t = this._id;
	return arguments.length ? this.each((typeof e == "function" ? Jp : Yp)(t, e)) : wp(this.node(), t).duration;
}
function Zp(e, t) {
	if (typeof t != "function") throw Error();
	return function() {
		Cp(this, e).ease = t;
	};
}
function Qp(e) {
	var t = this._id;
	return arguments.length ? this.each(Zp(t, e)) : wp(this.node(), t).ease;
}
function $p(e, t) {
	return function() {
		var n = t.apply(this, arguments);
		if (typeof n != "function") throw Error();
		Cp(this, e).ease = n;
	};
}
function em(e) {
	if (typeof e != "function") throw Error();
	return this.each($p(this._id, e));
}
function tm(e) {
	typeof e != "function" && (e = Lc(e));
	for (var t = this._groups, n = t.length, r = Array(n), i = 0; i < n; ++i) for (var a = t[i], o = a.length, s = r[i] = [], c, l = 0; l < o; ++l) (c = a[l]) && e.call(c, c.__data__, l, a) && s.push(c);
	return new Am(r, this._parents, this._name, this._id);
}
function nm(e) {
	if (e._id !== this._id) throw Error();
	for (var t = this._groups, n = e._groups, r = t.length, i = n.length, a = Math.min(r, i), o = Array(r), s = 0; s < a; ++s) for (var c = t[s], l = n[s], u = c.length, d = o[s] = Array(u), f, p = 0; p < u; ++p) (f = c[p] || l[p]) && (d[p] = f);
	for (; s < r; ++s) o[s] = t[s];
	return new Am(o, this._parents, this._name, this._id);
}
function rm(e) {
	return (e + "").trim().split(/^|\s+/).every(function(e) {
		var t = e.indexOf(".");
		return t >= 0 && (e = e.slice(0, t)), !e || e === "start";
	});
}
function im(e, t, n) {
	var r, i, a = rm(t) ? Sp : Cp;
	return function() {
		var o = a(this, e), s = o.on;
		s !== r && (i = (r = s).copy()).on(t, n), o.on = i;
	};
}
function am(e, t) {
	var n = this._id;
	return arguments.length < 2 ? wp(this.node(), n).on.on(e) : this.each(im(n, e, t));
}
function om(e) {
	return function() {
		var t = this.parentNode;
		for (var n in this.__transition) if (+n !== e) return;
		t && t.removeChild(this);
	};
}
function sm() {
	return this.on("end.remove", om(this._id));
}
function cm(e) {
	var t = this._name, n = this._id;
	typeof e != "function" && (e = Ac(e));
	for (var r = this._groups, i = r.length, a = Array(i), o = 0; o < i; ++o) for (var s = r[o], c = s.length, l = a[o] = Array(c), u, d, f = 0; f < c; ++f) (u = s[f]) && (d = e.call(u, u.__data__, f, s)) && ("__data__" in u && (d.__data__ = u.__data__), l[f] = d, xp(l[f], t, n, f, l, wp(u, n)));
	return new Am(a, this._parents, t, n);
}
function lm(e) {
	var t = this._name, n = this._id;
	typeof e != "function" && (e = Pc(e));
	for (var r = this._groups, i = r.length, a = [], o = [], s = 0; s < i; ++s) for (var c = r[s], l = c.length, u, d = 0; d < l; ++d) if (u = c[d]) {
		for (var f = e.call(u, u.__data__, d, c), p, m = wp(u, n), h = 0, g = f.length; h < g; ++h) (p = f[h]) && xp(p, t, n, h, f, m);
		a.push(f), o.push(u);
	}
	return new Am(a, o, t, n);
}
var um = bu.prototype.constructor;
function dm() {
	return new um(this._groups, this._parents);
}
function fm(e, t) {
	var n, r, i;
	return function() {
		var a = Dl(this, e), o = (this.style.removeProperty(e), Dl(this, e));
		return a === o ? null : a === n && o === r ? i : i = t(n = a, r = o);
	};
}
function pm(e) {
	return function() {
		this.style.removeProperty(e);
	};
}
function mm(e, t, n) {
	var r, i = n + "", a;
	return function() {
		var o = Dl(this, e);
		return o === i ? null : o === r ? a : a = t(r = o, n);
	};
}
function hm(e, t, n) {
	var r, i, a;
	return function() {
		var o = Dl(this, e), s = n(this), c = s + "";
		return s ?? (c = s = (this.style.removeProperty(e), Dl(this, e))), o === c ? null : o === r && c === i ? a : (i = c, a = t(r = o, s));
	};
}
function gm(e, t) {
	var n, r, i, a = "style." + t, o = "end." + a, s;
	return function() {
		var c = Cp(this, e), l = c.on, u = c.value[a] == null ? s ||= pm(t) : void 0;
		(l !== n || i !== u) && (r = (n = l).copy()).on(o, i = u), c.on = r;
	};
}
function _m(e, t, n) {
	var r = (e += "") == "transform" ? kf : Mp;
	return t == null ? this.styleTween(e, fm(e, r)).on("end.style." + e, pm(e)) : typeof t == "function" ? this.styleTween(e, hm(e, r, jp(this, "style." + e, t))).each(gm(this._id, e)) : this.styleTween(e, mm(e, r, t), n).on("end.style." + e, null);
}
function vm(e, t, n) {
	return function(r) {
		this.style.setProperty(e, t.call(this, r), n);
	};
}
function ym(e, t, n) {
	var r, i;
	function a() {
		var a = t.apply(this, arguments);
		return a !== i && (r = (i = a) && vm(e, a, n)), r;
	}
	return a._value = t, a;
}
function bm(e, t, n) {
	var r = "style." + (e += "");
	if (arguments.length < 2) return (r = this.tween(r)) && r._value;
	if (t == null) return this.tween(r, null);
	if (typeof t != "function") throw Error();
	return this.tween(r, ym(e, t, n ?? ""));
}
function xm(e) {
	return function() {
		this.textContent = e;
	};
}
function Sm(e) {
	return function() {
		var t = e(this);
		this.textContent = t ?? "";
	};
}
function Cm(e) {
	return this.tween("text", typeof e == "function" ? Sm(jp(this, "text", e)) : xm(e == null ? "" : e + ""));
}
function wm(e) {
	return function(t) {
		this.textContent = e.call(this, t);
	};
}
function Tm(e) {
	var t, n;
	function r() {
		var r = e.apply(this, arguments);
		return r !== n && (t = (n = r) && wm(r)), t;
	}
	return r._value = e, r;
}
function Em(e) {
	var t = "text";
	if (arguments.length < 1) return (t = this.tween(t)) && t._value;
	if (e == null) return this.tween(t, null);
	if (typeof e != "function") throw Error();
	return this.tween(t, Tm(e));
}
function Dm() {
	for (var e = this._name, t = this._id, n = jm(), r = this._groups, i = r.length, a = 0; a < i; ++a) for (var o = r[a], s = o.length, c, l = 0; l < s; ++l) if (c = o[l]) {
		var u = wp(c, t);
		xp(c, e, n, l, o, {
			time: u.time + u.delay + u.duration,
			delay: 0,
			duration: u.duration,
			ease: u.ease
		});
	}
	return new Am(r, this._parents, e, n);
}
function Om() {
	var e, t, n = this, r = n._id, i = n.size();
	return new Promise(function(a, o) {
		var s = { value: o }, c = { value: function() {
			--i === 0 && a();
		} };
		n.each(function() {
			var n = Cp(this, r), i = n.on;
			i !== e && (t = (e = i).copy(), t._.cancel.push(s), t._.interrupt.push(s), t._.end.push(c)), n.on = t;
		}), i === 0 && a();
	});
}
var km = 0;
function Am(e, t, n, r) {
	this._groups = e, this._parents = t, this._name = n, this._id = r;
}
function jm() {
	return ++km;
}
var Mm = bu.prototype;
Am.prototype = {
	constructor: Am,
	select: cm,
	selectAll: lm,
	selectChild: Mm.selectChild,
	selectChildren: Mm.selectChildren,
	filter: tm,
	merge: nm,
	selection: dm,
	transition: Dm,
	call: Mm.call,
	nodes: Mm.nodes,
	node: Mm.node,
	size: Mm.size,
	empty: Mm.empty,
	each: Mm.each,
	on: am,
	attr: zp,
	attrTween: Wp,
	style: _m,
	styleTween: bm,
	text: Cm,
	textTween: Em,
	remove: sm,
	tween: Ap,
	delay: qp,
	duration: Xp,
	ease: Qp,
	easeVarying: em,
	end: Om,
	[Symbol.iterator]: Mm[Symbol.iterator]
};
var Nm = {
	time: null,
	delay: 0,
	duration: 250,
	ease: ip
};
function Pm(e, t) {
	for (var n; !(n = e.__transition) || !(n = n[t]);) if (!(e = e.parentNode)) throw Error(`transition ${t} not found`);
	return n;
}
function Fm(e) {
	var t, n;
	e instanceof Am ? (t = e._id, e = e._name) : (t = jm(), (n = Nm).time = Jf(), e = e == null ? null : e + "");
	for (var r = this._groups, i = r.length, a = 0; a < i; ++a) for (var o = r[a], s = o.length, c, l = 0; l < s; ++l) (c = o[l]) && xp(c, e, t, l, o, n || Pm(c, t));
	return new Am(r, this._parents, e, t);
}
bu.prototype.interrupt = Dp, bu.prototype.transition = Fm;
// node_modules/d3-zoom/dist/d3-zoom.mjs
var Im = (e) => () => e;
function Lm(e, { sourceEvent: t, target: n, transform: r, dispatch: i }) {
	Object.defineProperties(this, {
		type: {
			value: e,
			enumerable: !0,
			configurable: !0
		},
		sourceEvent: {
			value: t,
			enumerable: !0,
			configurable: !0
		},
		target: {
			value: n,
			enumerable: !0,
			configurable: !0
		},
		transform: {
			value: r,
			enumerable: !0,
			configurable: !0
		},
		_: { value: i }
	});
}
function Rm(e, t, n) {
	this.k = e, this.x = t, this.y = n;
}
Rm.prototype = {
	constructor: Rm,
	scale: function(e) {
		return e === 1 ? this : new Rm(this.k * e, this.x, this.y);
	},
	translate: function(e, t) {
		return e === 0 & t === 0 ? this : new Rm(this.k, this.x + this.k * e, this.y + this.k * t);
	},
	apply: function(e) {
		return [e[0] * this.k + this.x, e[1] * this.k + this.y];
	},
	applyX: function(e) {
		return e * this.k + this.x;
	},
	applyY: function(e) {
		return e * this.k + this.y;
	},
	invert: function(e) {
		return [(e[0] - this.x) / this.k, (e[1] - this.y) / this.k];
	},
	invertX: function(e) {
		return (e - this.x) / this.k;
	},
	invertY: function(e) {
		return (e - this.y) / this.k;
	},
	rescaleX: function(e) {
		return e.copy().domain(e.range().map(this.invertX, this).map(e.invert, e));
	},
	rescaleY: function(e) {
		return e.copy().domain(e.range().map(this.invertY, this).map(e.invert, e));
	},
	toString: function() {
		return "translate(" + this.x + "," + this.y + ") scale(" + this.k + ")";
	}
};
var zm = new Rm(1, 0, 0);
Bm.prototype = Rm.prototype;
function Bm(e) {
	for (; !e.__zoom;) if (!(e = e.parentNode)) return zm;
	return e.__zoom;
}
function Vm(e) {
	e.stopImmediatePropagation();
}
function Hm(e) {
	e.preventDefault(), e.stopImmediatePropagation();
}
function Um(e) {
	return (!e.ctrlKey || e.type === "wheel") && !e.button;
}
function Wm() {
	var e = this;
	return e instanceof SVGElement ? (e = e.ownerSVGElement || e, e.hasAttribute("viewBox") ? (e = e.viewBox.baseVal, [[e.x, e.y], [e.x + e.width, e.y + e.height]]) : [[0, 0], [e.width.baseVal.value, e.height.baseVal.value]]) : [[0, 0], [e.clientWidth, e.clientHeight]];
}
function Gm() {
	return this.__zoom || zm;
}
function Km(e) {
	return -e.deltaY * (e.deltaMode === 1 ? .05 : e.deltaMode ? 1 : .002) * (e.ctrlKey ? 10 : 1);
}
function qm() {
	return navigator.maxTouchPoints || "ontouchstart" in this;
}
function Jm(e, t, n) {
	var r = e.invertX(t[0][0]) - n[0][0], i = e.invertX(t[1][0]) - n[1][0], a = e.invertY(t[0][1]) - n[0][1], o = e.invertY(t[1][1]) - n[1][1];
	return e.translate(i > r ? (r + i) / 2 : Math.min(0, r) || Math.max(0, i), o > a ? (a + o) / 2 : Math.min(0, a) || Math.max(0, o));
}
function Ym() {
	var e = Um, t = Wm, n = Jm, r = Km, i = qm, a = [0, Infinity], o = [[-Infinity, -Infinity], [Infinity, Infinity]], s = 250, c = Ff, l = ku("start", "zoom", "end"), u, d, f, p = 500, m = 150, h = 0, g = 10;
	function _(e) {
		e.property("__zoom", Gm).on("wheel.zoom", C, { passive: !1 }).on("mousedown.zoom", w).on("dblclick.zoom", T).filter(i).on("touchstart.zoom", E).on("touchmove.zoom", te).on("touchend.zoom touchcancel.zoom", ne).style("-webkit-tap-highlight-color", "rgba(0,0,0,0)");
	}
	_.transform = function(e, t, n, r) {
		var i = e.selection ? e.selection() : e;
		i.property("__zoom", Gm), e === i ? i.interrupt().each(function() {
			S(this, arguments).event(r).start().zoom(null, typeof t == "function" ? t.apply(this, arguments) : t).end();
		}) : x(e, t, n, r);
	}, _.scaleBy = function(e, t, n, r) {
		_.scaleTo(e, function() {
			return this.__zoom.k * (typeof t == "function" ? t.apply(this, arguments) : t);
		}, n, r);
	}, _.scaleTo = function(e, r, i, a) {
		_.transform(e, function() {
			var e = t.apply(this, arguments), a = this.__zoom, s = i == null ? b(e) : typeof i == "function" ? i.apply(this, arguments) : i, c = a.invert(s), l = typeof r == "function" ? r.apply(this, arguments) : r;
			return n(y(v(a, l), s, c), e, o);
		}, i, a);
	}, _.translateBy = function(e, r, i, a) {
		_.transform(e, function() {
			return n(this.__zoom.translate(typeof r == "function" ? r.apply(this, arguments) : r, typeof i == "function" ? i.apply(this, arguments) : i), t.apply(this, arguments), o);
		}, null, a);
	}, _.translateTo = function(e, r, i, a, s) {
		_.transform(e, function() {
			var e = t.apply(this, arguments), s = this.__zoom, c = a == null ? b(e) : typeof a == "function" ? a.apply(this, arguments) : a;
			return n(zm.translate(c[0], c[1]).scale(s.k).translate(typeof r == "function" ? -r.apply(this, arguments) : -r, typeof i == "function" ? -i.apply(this, arguments) : -i), e, o);
		}, a, s);
	};
	function v(e, t) {
		return t = Math.max(a[0], Math.min(a[1], t)), t === e.k ? e : new Rm(t, e.x, e.y);
	}
	function y(e, t, n) {
		var r = t[0] - n[0] * e.k, i = t[1] - n[1] * e.k;
		return r === e.x && i === e.y ? e : new Rm(e.k, r, i);
	}
	function b(e) {
		return [(+e[0][0] + +e[1][0]) / 2, (+e[0][1] + +e[1][1]) / 2];
	}
	function x(e, n, r, i) {
		e.on("start.zoom", function() {
			S(this, arguments).event(i).start();
		}).on("interrupt.zoom end.zoom", function() {
			S(this, arguments).event(i).end();
		}).tween("zoom", function() {
			var e = this, a = arguments, o = S(e, a).event(i), s = t.apply(e, a), l = r == null ? b(s) : typeof r == "function" ? r.apply(e, a) : r, u = Math.max(s[1][0] - s[0][0], s[1][1] - s[0][1]), d = e.__zoom, f = typeof n == "function" ? n.apply(e, a) : n, p = c(d.invert(l).concat(u / d.k), f.invert(l).concat(u / f.k));
			return function(e) {
				if (e === 1) e = f;
				else {
					var t = p(e), n = u / t[2];
					e = new Rm(n, l[0] - t[0] * n, l[1] - t[1] * n);
				}
				o.zoom(null, e);
			};
		});
	}
	function S(e, t, n) {
		return !n && e.__zooming || new ee(e, t);
	}
	function ee(e, n) {
		this.that = e, this.args = n, this.active = 0, this.sourceEvent = null, this.extent = t.apply(e, n), this.taps = 0;
	}
	ee.prototype = {
		event: function(e) {
			return e && (this.sourceEvent = e), this;
		},
		start: function() {
			return ++this.active === 1 && (this.that.__zooming = this, this.emit("start")), this;
		},
		zoom: function(e, t) {
			return this.mouse && e !== "mouse" && (this.mouse[1] = t.invert(this.mouse[0])), this.touch0 && e !== "touch" && (this.touch0[1] = t.invert(this.touch0[0])), this.touch1 && e !== "touch" && (this.touch1[1] = t.invert(this.touch1[0])), this.that.__zoom = t, this.emit("zoom"), this;
		},
		end: function() {
			return --this.active === 0 && (delete this.that.__zooming, this.emit("end")), this;
		},
		emit: function(e) {
			var t = Su(this.that).datum();
			l.call(e, this.that, new Lm(e, {
				sourceEvent: this.sourceEvent,
				target: _,
				transform: this.that.__zoom,
				dispatch: l
			}), t);
		}
	};
	function C(t, ...i) {
		if (!e.apply(this, arguments)) return;
		var s = S(this, i).event(t), c = this.__zoom, l = Math.max(a[0], Math.min(a[1], c.k * 2 ** r.apply(this, arguments))), u = Du(t);
		if (s.wheel) (s.mouse[0][0] !== u[0] || s.mouse[0][1] !== u[1]) && (s.mouse[1] = c.invert(s.mouse[0] = u)), clearTimeout(s.wheel);
		else if (c.k === l) return;
		else s.mouse = [u, c.invert(u)], Ep(this), s.start();
		Hm(t), s.wheel = setTimeout(d, m), s.zoom("mouse", n(y(v(c, l), s.mouse[0], s.mouse[1]), s.extent, o));
		function d() {
			s.wheel = null, s.end();
		}
	}
	function w(t, ...r) {
		if (f || !e.apply(this, arguments)) return;
		var i = t.currentTarget, a = S(this, r, !0).event(t), s = Su(t.view).on("mousemove.zoom", d, !0).on("mouseup.zoom", p, !0), c = Du(t, i), l = t.clientX, u = t.clientY;
		Iu(t.view), Vm(t), a.mouse = [c, this.__zoom.invert(c)], Ep(this), a.start();
		function d(e) {
			if (Hm(e), !a.moved) {
				var t = e.clientX - l, r = e.clientY - u;
				a.moved = t * t + r * r > h;
			}
			a.event(e).zoom("mouse", n(y(a.that.__zoom, a.mouse[0] = Du(e, i), a.mouse[1]), a.extent, o));
		}
		function p(e) {
			s.on("mousemove.zoom mouseup.zoom", null), Lu(e.view, a.moved), Hm(e), a.event(e).end();
		}
	}
	function T(r, ...i) {
		if (e.apply(this, arguments)) {
			var a = this.__zoom, c = Du(r.changedTouches ? r.changedTouches[0] : r, this), l = a.invert(c), u = a.k * (r.shiftKey ? .5 : 2), d = n(y(v(a, u), c, l), t.apply(this, i), o);
			Hm(r), s > 0 ? Su(this).transition().duration(s).call(x, d, c, r) : Su(this).call(_.transform, d, c, r);
		}
	}
	function E(t, ...n) {
		if (e.apply(this, arguments)) {
			var r = t.touches, i = r.length, a = S(this, n, t.changedTouches.length === i).event(t), o, s, c, l;
			for (Vm(t), s = 0; s < i; ++s) c = r[s], l = Du(c, this), l = [
				l,
				this.__zoom.invert(l),
				c.identifier
			], a.touch0 ? !a.touch1 && a.touch0[2] !== l[2] && (a.touch1 = l, a.taps = 0) : (a.touch0 = l, o = !0, a.taps = 1 + !!u);
			u &&= clearTimeout(u), o && (a.taps < 2 && (d = l[0], u = setTimeout(function() {
				u = null;
			}, p)), Ep(this), a.start());
		}
	}
	function te(e, ...t) {
		if (this.__zooming) {
			var r = S(this, t).event(e), i = e.changedTouches, a = i.length, s, c, l, u;
			for (Hm(e), s = 0; s < a; ++s) c = i[s], l = Du(c, this), r.touch0 && r.touch0[2] === c.identifier ? r.touch0[0] = l : r.touch1 && r.touch1[2] === c.identifier && (r.touch1[0] = l);
			if (c = r.that.__zoom, r.touch1) {
				var d = r.touch0[0], f = r.touch0[1], p = r.touch1[0], m = r.touch1[1], h = (h = p[0] - d[0]) * h + (h = p[1] - d[1]) * h, g = (g = m[0] - f[0]) * g + (g = m[1] - f[1]) * g;
				c = v(c, Math.sqrt(h / g)), l = [(d[0] + p[0]) / 2, (d[1] + p[1]) / 2], u = [(f[0] + m[0]) / 2, (f[1] + m[1]) / 2];
			} else if (r.touch0) l = r.touch0[0], u = r.touch0[1];
			else return;
			r.zoom("touch", n(y(c, l, u), r.extent, o));
		}
	}
	function ne(e, ...t) {
		if (this.__zooming) {
			var n = S(this, t).event(e), r = e.changedTouches, i = r.length, a, o;
			for (Vm(e), f && clearTimeout(f), f = setTimeout(function() {
				f = null;
			}, p), a = 0; a < i; ++a) o = r[a], n.touch0 && n.touch0[2] === o.identifier ? delete n.touch0 : n.touch1 && n.touch1[2] === o.identifier && delete n.touch1;
			if (n.touch1 && !n.touch0 && (n.touch0 = n.touch1, delete n.touch1), n.touch0) n.touch0[1] = this.__zoom.invert(n.touch0[0]);
			else if (n.end(), n.taps === 2 && (o = Du(o, this), Math.hypot(d[0] - o[0], d[1] - o[1]) < g)) {
				var s = Su(this).on("dblclick.zoom");
				s && s.apply(this, arguments);
			}
		}
	}
	return _.wheelDelta = function(e) {
		return arguments.length ? (r = typeof e == "function" ? e : Im(+e), _) : r;
	}, _.filter = function(t) {
		return arguments.length ? (e = typeof t == "function" ? t : Im(!!t), _) : e;
	}, _.touchable = function(e) {
		return arguments.length ? (i = typeof e == "function" ? e : Im(!!e), _) : i;
	}, _.extent = function(e) {
		return arguments.length ? (t = typeof e == "function" ? e : Im([[+e[0][0], +e[0][1]], [+e[1][0], +e[1][1]]]), _) : t;
	}, _.scaleExtent = function(e) {
		return arguments.length ? (a[0] = +e[0], a[1] = +e[1], _) : [a[0], a[1]];
	}, _.translateExtent = function(e) {
		return arguments.length ? (o[0][0] = +e[0][0], o[1][0] = +e[1][0], o[0][1] = +e[0][1], o[1][1] = +e[1][1], _) : [[o[0][0], o[0][1]], [o[1][0], o[1][1]]];
	}, _.constrain = function(e) {
		return arguments.length ? (n = e, _) : n;
	}, _.duration = function(e) {
		return arguments.length ? (s = +e, _) : s;
	}, _.interpolate = function(e) {
		return arguments.length ? (c = e, _) : c;
	}, _.on = function() {
		var e = l.on.apply(l, arguments);
		return e === l ? _ : e;
	}, _.clickDistance = function(e) {
		return arguments.length ? (h = (e = +e) * e, _) : Math.sqrt(h);
	}, _.tapDistance = function(e) {
		return arguments.length ? (g = +e, _) : g;
	}, _;
}
// src/views/map/moving.ts
var Xm = 80;
function Zm(e, t, n) {
	let [r, i] = k(null), a = Me(null), o = ({ x: t, y: n, k: r }) => {
		let i = zm.translate(104 - t * r, 78 - n * r).scale(r);
		e && a.current && Su(e).call(a.current.transform, i);
	};
	A(() => {
		if (!e) return;
		let r = uc(t), [s, c] = [Math.min(0, r.x), Math.min(0, r.y)];
		a.current = Ym().extent(() => [[104, 78], [104 + t.width, 78 + t.height]]).scaleExtent([r.k, 56]).translateExtent([[s, c], [t.columns - s, t.rows - c]]).on("zoom", (e) => {
			let { x: t, y: n, k: r } = e.transform;
			i({
				x: (104 - t) / r,
				y: (78 - n) / r,
				k: r
			});
		});
		let l = Su(e);
		return l.call(a.current).on("dblclick.zoom", null), o(n() ?? r), () => void l.on(".zoom", null);
	}, [e, t]);
	let s = (t) => e && a.current?.scaleBy(Su(e), t);
	return {
		camera: r,
		move: o,
		zoomBy: s,
		keys: (n) => {
			if (!e || !r || !a.current) return;
			let i = Xm / r.k, c = {
				ArrowLeft: [i, 0],
				ArrowRight: [-i, 0],
				ArrowUp: [0, i],
				ArrowDown: [0, -i]
			}[n.key];
			if (c) a.current.translateBy(Su(e), c[0], c[1]);
			else if (n.key === "+" || n.key === "=") s(1.6);
			else if (n.key === "-" || n.key === "_") s(1 / 1.6);
			else if (n.key === "0") o(uc(t));
			else return;
			n.preventDefault(), n.stopPropagation();
		}
	};
}
// src/views/map/view.tsx
var Qm = 116, $m = 32;
function eh() {
	let e = V.value;
	return !e || !W.value ? /* @__PURE__ */ K(yr, { children: "Run a text of any length: this view then is a map of all its weights." }) : /* @__PURE__ */ K(rh, {}, e.id);
}
function th(e, t, n) {
	let r = e?.getContext("2d");
	if (!e || !r) return;
	let [i, a] = [Math.round(t.width * n), Math.round(t.height * n)];
	e.width !== i && (e.width = i), e.height !== a && (e.height = a), fi(r, t, n, Z.value.paper);
}
function nh() {
	let [e, t, n] = [
		V.value,
		W.value,
		Bn.value
	], r = t.rows !== t.columns;
	return {
		rows: G.value.flatMap((n) => lr(e, t, n) ?? []),
		columns: r ? G.value.flatMap((n) => ur(e, t, n) ?? []) : [],
		row: n && lr(e, t, n),
		column: n && r ? ur(e, t, n) : null
	};
}
function rh() {
	let [e, t, n] = [
		V.value,
		W.value,
		dn.value
	], r = z("how") === "max" ? "max" : "mean", [i, a] = ka(0), [o, s] = k(null), [c, l] = k(null), [u, d] = k(0), [f, p] = k(0), m = Math.max(340, Math.min(820, innerHeight - 400)), h = j(() => sc(t, a - 104 - 40, m), [
		t,
		a,
		m
	]), { camera: g, move: _, zoomBy: v, keys: y } = Zm(a ? o : null, h, () => mc(z("at"), h)), b = j(() => new ac(e.id, t, n, r, [...fr(e, t)], () => d((e) => e + 1)), [
		e.id,
		t,
		n,
		r
	]);
	A(() => () => b.close(), [b]);
	let x = Math.min(2, devicePixelRatio || 1), S = g ?? uc(h), ee = dc(S, h, x), C = fc(S, h, ee), w = C.flatMap((e) => b.tile(e) ?? []), T = Sa(Math.max(0, ...w.map((e) => b.largest(e, fn.value === "sinkless")))), E = {
		scale: fn.value,
		top: T,
		theme: Zr.value
	}, te = nh(), ne = {
		row: (n) => q(dr(e, t, n)),
		column: (n) => q(X(e, t, n))
	}, re = (e) => xc(b, S, h, E, ne, te, Z.value, e);
	A(() => {
		if (!g) return;
		let e = {
			level: t.levels - 1,
			row: 0,
			column: 0
		};
		b.want([e, ...C]), b.problem && Dn(b.problem);
		let n = requestAnimationFrame(() => {
			th(o, re(x), x), th(c, Sc(b, S, h, E, Z.value, Qm), 1);
		}), r = setTimeout(() => {
			p((e) => e + 1), R({ at: S.k / uc(h).k < 1.001 ? "" : pc(S, h) });
		}, 250);
		return () => {
			cancelAnimationFrame(n), clearTimeout(r);
		};
	}, [
		g,
		u,
		b,
		h,
		fn.value,
		T,
		Zr.value,
		Bn.value,
		G.value
	]);
	let ie = (e) => {
		let t = o.getBoundingClientRect();
		return lc(e.clientX - t.left - 104, e.clientY - t.top - 78, S, h);
	}, ae = (i) => {
		let a = ie(i);
		U.value = a && t.rows !== t.columns ? sr(e, t, a.row) : null;
		let o = a && b.value(a.row, a.column, ee), s = o && o.cell > 1 ? `${r} of ${o.cell} × ${o.cell} weights: ` : "", c = o ? s + (s ? o.number.toPrecision(3) : Y(o.number, 3)) : "…", l = a && `“${ne.row(a.row)}” (${rr(a.row)})`, u = a && `“${ne.column(a.column)}” (${rr(a.column)})`;
		rn.value = a && `${t.name} · head ${n} · ${l} → ${u}: ${c}`;
	}, oe = () => U.value = rn.value = null, se = (n) => {
		let r = ie(n);
		r && (_(cc(r.row + .5, r.column + .5, $m, h)), Rn([sr(e, t, r.row)], !1), Rn([cr(e, t, r.column)], !1));
	}, ce = (e) => {
		if (!(e.buttons & 1)) return;
		let t = c.getBoundingClientRect(), n = Math.max(h.rows, h.columns) / Qm;
		_(cc((e.clientY - t.top) * n, (e.clientX - t.left) * n, S.k, h));
	}, le = `Map of ${t.name}, head ${n}`, ue = 2 ** ee, de = ee === 0 ? "exact" : `a cell is ${r === "mean" ? "the mean" : "the largest"} of ${ue} × ${ue}`;
	return /* @__PURE__ */ K("div", {
		class: "stack",
		ref: i,
		children: [
			/* @__PURE__ */ K("div", {
				class: "row controls",
				children: [
					/* @__PURE__ */ K(Yn, {}),
					t.levels > 1 && /* @__PURE__ */ K(qn, {
						label: "What a cell is",
						value: r,
						choose: (e) => R({ how: e === "max" ? "max" : "" }),
						options: [["mean", "mean of a cell"], ["max", "largest of a cell"]]
					}),
					/* @__PURE__ */ K("div", {
						class: "choice",
						role: "group",
						"aria-label": "Zoom",
						children: [
							/* @__PURE__ */ K("button", {
								type: "button",
								"aria-label": "Nearer",
								onClick: () => v(2),
								children: "+"
							}),
							/* @__PURE__ */ K("button", {
								type: "button",
								"aria-label": "Farther",
								onClick: () => v(.5),
								children: "−"
							}),
							/* @__PURE__ */ K("button", {
								type: "button",
								"aria-label": "All of it",
								onClick: () => _(uc(h)),
								children: "all"
							})
						]
					}),
					/* @__PURE__ */ K("span", {
						class: "faint small",
						"data-says": "level",
						children: [
							rr(t.queries),
							" × ",
							rr(t.keys),
							" weights, ",
							de,
							b.waiting > 0 && `, ${b.waiting} tiles on their way`
						]
					})
				]
			}),
			b.problem instanceof Error && !H.value && /* @__PURE__ */ K(hr, { line: b.problem.message }),
			/* @__PURE__ */ K("div", {
				class: "card",
				children: /* @__PURE__ */ K(ki, {
					title: le,
					of: [f, b],
					first: !0,
					make: () => ({
						title: le,
						scene: re(2),
						python: zi([`print(pattern[0, ${n}])  # a region: pattern[0, ${n}, 100:200, 0:100]; an overview: pattern.pooled(64, 64)`]),
						table: {
							caption: `the strongest cells in sight; a cell is ${ue} × ${ue}`,
							columns: [
								"row",
								"token",
								"column",
								"looks at",
								"weight"
							],
							rows: b.strongest(w, T / 50, 400).map((e) => [
								e.row,
								ne.row(e.row),
								e.column,
								ne.column(e.column),
								e.number
							])
						}
					}),
					legend: /* @__PURE__ */ K(Da, { top: T }),
					children: /* @__PURE__ */ K("div", {
						class: "map",
						tabIndex: 0,
						role: "application",
						"aria-label": `${le}: plus and minus zoom, arrows move, 0 shows all`,
						onKeyDown: y,
						children: [/* @__PURE__ */ K("canvas", {
							ref: s,
							"data-map": !0,
							style: {
								width: `${104 + h.width + 1}px`,
								height: `${78 + h.height + 1}px`
							},
							onPointerMove: ae,
							onPointerLeave: oe,
							onDblClick: se
						}), /* @__PURE__ */ K("canvas", {
							ref: l,
							class: S.k > uc(h).k * 1.01 ? "corner" : "corner gone",
							"aria-hidden": "true",
							onPointerDown: ce,
							onPointerMove: ce
						})]
					})
				})
			})
		]
	});
}
// node_modules/d3-array/dist/d3-array.mjs
function ih(e, t) {
	return e == null || t == null ? NaN : e < t ? -1 : e > t ? 1 : e >= t ? 0 : NaN;
}
function ah(e, t) {
	return e == null || t == null ? NaN : t < e ? -1 : t > e ? 1 : t >= e ? 0 : NaN;
}
function oh(e) {
	let t, n, r;
	e.length === 2 ? (t = e === ih || e === ah ? e : sh, n = e, r = e) : (t = ih, n = (t, n) => ih(e(t), n), r = (t, n) => e(t) - n);
	function i(e, r, i = 0, a = e.length) {
		if (i < a) {
			if (t(r, r) !== 0) return a;
			do {
				let t = i + a >>> 1;
				n(e[t], r) < 0 ? i = t + 1 : a = t;
			} while (i < a);
		}
		return i;
	}
	function a(e, r, i = 0, a = e.length) {
		if (i < a) {
			if (t(r, r) !== 0) return a;
			do {
				let t = i + a >>> 1;
				n(e[t], r) <= 0 ? i = t + 1 : a = t;
			} while (i < a);
		}
		return i;
	}
	function o(e, t, n = 0, a = e.length) {
		let o = i(e, t, n, a - 1);
		return o > n && r(e[o - 1], t) > -r(e[o], t) ? o - 1 : o;
	}
	return {
		left: i,
		center: o,
		right: a
	};
}
function sh() {
	return 0;
}
function ch(e) {
	return e === null ? NaN : +e;
}
var lh = oh(ih), uh = lh.right;
lh.left, oh(ch).center, Array.prototype.slice;
var dh = Math.sqrt(50), fh = Math.sqrt(10), ph = Math.sqrt(2);
function mh(e, t, n) {
	let r = (t - e) / Math.max(0, n), i = Math.floor(Math.log10(r)), a = r / 10 ** i, o = a >= dh ? 10 : a >= fh ? 5 : a >= ph ? 2 : 1, s, c, l;
	return i < 0 ? (l = 10 ** -i / o, s = Math.round(e * l), c = Math.round(t * l), s / l < e && ++s, c / l > t && --c, l = -l) : (l = 10 ** i * o, s = Math.round(e / l), c = Math.round(t / l), s * l < e && ++s, c * l > t && --c), c < s && .5 <= n && n < 2 ? mh(e, t, n * 2) : [
		s,
		c,
		l
	];
}
function hh(e, t, n) {
	if (t = +t, e = +e, n = +n, !(n > 0)) return [];
	if (e === t) return [e];
	let r = t < e, [i, a, o] = r ? mh(t, e, n) : mh(e, t, n);
	if (!(a >= i)) return [];
	let s = a - i + 1, c = Array(s);
	if (r) {
		if (o < 0) for (let e = 0; e < s; ++e) c[e] = (a - e) / -o;
		else for (let e = 0; e < s; ++e) c[e] = (a - e) * o;
	} else if (o < 0) for (let e = 0; e < s; ++e) c[e] = (i + e) / -o;
	else for (let e = 0; e < s; ++e) c[e] = (i + e) * o;
	return c;
}
function gh(e, t, n) {
	return t = +t, e = +e, n = +n, mh(e, t, n)[2];
}
function _h(e, t, n) {
	t = +t, e = +e, n = +n;
	let r = t < e, i = r ? gh(t, e, n) : gh(e, t, n);
	return (r ? -1 : 1) * (i < 0 ? 1 / -i : i);
}
// node_modules/d3-format/dist/d3-format.mjs
function vh(e) {
	return Math.abs(e = Math.round(e)) >= 1e21 ? e.toLocaleString("en").replace(/,/g, "") : e.toString(10);
}
function yh(e, t) {
	if (!isFinite(e) || e === 0) return null;
	var n = (e = t ? e.toExponential(t - 1) : e.toExponential()).indexOf("e"), r = e.slice(0, n);
	return [r.length > 1 ? r[0] + r.slice(2) : r, +e.slice(n + 1)];
}
function bh(e) {
	return e = yh(Math.abs(e)), e ? e[1] : NaN;
}
function xh(e, t) {
	return function(n, r) {
		for (var i = n.length, a = [], o = 0, s = e[0], c = 0; i > 0 && s > 0 && (c + s + 1 > r && (s = Math.max(1, r - c)), a.push(n.substring(i -= s, i + s)), !((c += s + 1) > r));) s = e[o = (o + 1) % e.length];
		return a.reverse().join(t);
	};
}
function Sh(e) {
	return function(t) {
		return t.replace(/[0-9]/g, function(t) {
			return e[+t];
		});
	};
}
var Ch = /^(?:(.)?([<>=^]))?([+\-( ])?([$#])?(0)?(\d+)?(,)?(\.\d+)?(~)?([a-z%])?$/i;
function wh(e) {
	if (!(t = Ch.exec(e))) throw Error("invalid format: " + e);
	var t;
	return new Th({
		fill: t[1],
		align: t[2],
		sign: t[3],
		symbol: t[4],
		zero: t[5],
		width: t[6],
		comma: t[7],
		precision: t[8] && t[8].slice(1),
		trim: t[9],
		type: t[10]
	});
}
wh.prototype = Th.prototype;
function Th(e) {
	this.fill = e.fill === void 0 ? " " : e.fill + "", this.align = e.align === void 0 ? ">" : e.align + "", this.sign = e.sign === void 0 ? "-" : e.sign + "", this.symbol = e.symbol === void 0 ? "" : e.symbol + "", this.zero = !!e.zero, this.width = e.width === void 0 ? void 0 : +e.width, this.comma = !!e.comma, this.precision = e.precision === void 0 ? void 0 : +e.precision, this.trim = !!e.trim, this.type = e.type === void 0 ? "" : e.type + "";
}
Th.prototype.toString = function() {
	return this.fill + this.align + this.sign + this.symbol + (this.zero ? "0" : "") + (this.width === void 0 ? "" : Math.max(1, this.width | 0)) + (this.comma ? "," : "") + (this.precision === void 0 ? "" : "." + Math.max(0, this.precision | 0)) + (this.trim ? "~" : "") + this.type;
};
function Eh(e) {
	out: for (var t = e.length, n = 1, r = -1, i; n < t; ++n) switch (e[n]) {
		case ".":
			r = i = n;
			break;
		case "0":
			r === 0 && (r = n), i = n;
			break;
		default:
			if (!+e[n]) break out;
			r > 0 && (r = 0);
	}
	return r > 0 ? e.slice(0, r) + e.slice(i + 1) : e;
}
var Dh;
function Oh(e, t) {
	var n = yh(e, t);
	if (!n) return Dh = void 0, e.toPrecision(t);
	var r = n[0], i = n[1], a = i - (Dh = Math.max(-8, Math.min(8, Math.floor(i / 3))) * 3) + 1, o = r.length;
	return a === o ? r : a > o ? r + Array(a - o + 1).join("0") : a > 0 ? r.slice(0, a) + "." + r.slice(a) : "0." + Array(1 - a).join("0") + yh(e, Math.max(0, t + a - 1))[0];
}
function kh(e, t) {
	var n = yh(e, t);
	if (!n) return e + "";
	var r = n[0], i = n[1];
	return i < 0 ? "0." + Array(-i).join("0") + r : r.length > i + 1 ? r.slice(0, i + 1) + "." + r.slice(i + 1) : r + Array(i - r.length + 2).join("0");
}
var Ah = {
	"%": (e, t) => (e * 100).toFixed(t),
	b: (e) => Math.round(e).toString(2),
	c: (e) => e + "",
	d: vh,
	e: (e, t) => e.toExponential(t),
	f: (e, t) => e.toFixed(t),
	g: (e, t) => e.toPrecision(t),
	o: (e) => Math.round(e).toString(8),
	p: (e, t) => kh(e * 100, t),
	r: kh,
	s: Oh,
	X: (e) => Math.round(e).toString(16).toUpperCase(),
	x: (e) => Math.round(e).toString(16)
};
function jh(e) {
	return e;
}
var Mh = Array.prototype.map, Nh = [
	"y",
	"z",
	"a",
	"f",
	"p",
	"n",
	"µ",
	"m",
	"",
	"k",
	"M",
	"G",
	"T",
	"P",
	"E",
	"Z",
	"Y"
];
function Ph(e) {
	var t = e.grouping === void 0 || e.thousands === void 0 ? jh : xh(Mh.call(e.grouping, Number), e.thousands + ""), n = e.currency === void 0 ? "" : e.currency[0] + "", r = e.currency === void 0 ? "" : e.currency[1] + "", i = e.decimal === void 0 ? "." : e.decimal + "", a = e.numerals === void 0 ? jh : Sh(Mh.call(e.numerals, String)), o = e.percent === void 0 ? "%" : e.percent + "", s = e.minus === void 0 ? "−" : e.minus + "", c = e.nan === void 0 ? "NaN" : e.nan + "";
	function l(e, l) {
		e = wh(e);
		var u = e.fill, d = e.align, f = e.sign, p = e.symbol, m = e.zero, h = e.width, g = e.comma, _ = e.precision, v = e.trim, y = e.type;
		y === "n" ? (g = !0, y = "g") : Ah[y] || (_ === void 0 && (_ = 12), v = !0, y = "g"), (m || u === "0" && d === "=") && (m = !0, u = "0", d = "=");
		var b = (l && l.prefix !== void 0 ? l.prefix : "") + (p === "$" ? n : p === "#" && /[boxX]/.test(y) ? "0" + y.toLowerCase() : ""), x = (p === "$" ? r : /[%p]/.test(y) ? o : "") + (l && l.suffix !== void 0 ? l.suffix : ""), S = Ah[y], ee = /[defgprs%]/.test(y);
		_ = _ === void 0 ? 6 : /[gprs]/.test(y) ? Math.max(1, Math.min(21, _)) : Math.max(0, Math.min(20, _));
		function C(e) {
			var n = b, r = x, o, l, p;
			if (y === "c") r = S(e) + r, e = "";
			else {
				e = +e;
				var C = e < 0 || 1 / e < 0;
				if (e = isNaN(e) ? c : S(Math.abs(e), _), v && (e = Eh(e)), C && +e == 0 && f !== "+" && (C = !1), n = (C ? f === "(" ? f : s : f === "-" || f === "(" ? "" : f) + n, r = (y === "s" && !isNaN(e) && Dh !== void 0 ? Nh[8 + Dh / 3] : "") + r + (C && f === "(" ? ")" : ""), ee) {
					for (o = -1, l = e.length; ++o < l;) if (p = e.charCodeAt(o), 48 > p || p > 57) {
						r = (p === 46 ? i + e.slice(o + 1) : e.slice(o)) + r, e = e.slice(0, o);
						break;
					}
				}
			}
			g && !m && (e = t(e, Infinity));
			var w = n.length + e.length + r.length, T = w < h ? Array(h - w + 1).join(u) : "";
			switch (g && m && (e = t(T + e, T.length ? h - r.length : Infinity), T = ""), d) {
				case "<":
					e = n + e + r + T;
					break;
				case "=":
					e = n + T + e + r;
					break;
				case "^":
					e = T.slice(0, w = T.length >> 1) + n + e + r + T.slice(w);
					break;
				default: e = T + n + e + r;
			}
			return a(e);
		}
		return C.toString = function() {
			return e + "";
		}, C;
	}
	function u(e, t) {
		var n = Math.max(-8, Math.min(8, Math.floor(bh(t) / 3))) * 3, r = 10 ** -n, i = l((e = wh(e), e.type = "f", e), { suffix: Nh[8 + n / 3] });
		return function(e) {
			return i(r * e);
		};
	}
	return {
		format: l,
		formatPrefix: u
	};
}
var Fh, Ih, Lh;
Rh({
	thousands: ",",
	grouping: [3],
	currency: ["$", ""]
});
function Rh(e) {
	return Fh = Ph(e), Ih = Fh.format, Lh = Fh.formatPrefix, Fh;
}
function zh(e) {
	return Math.max(0, -bh(Math.abs(e)));
}
function Bh(e, t) {
	return Math.max(0, Math.max(-8, Math.min(8, Math.floor(bh(t) / 3))) * 3 - bh(Math.abs(e)));
}
function Vh(e, t) {
	return e = Math.abs(e), t = Math.abs(t) - e, Math.max(0, bh(t) - bh(e)) + 1;
}
// node_modules/d3-scale/dist/d3-scale.mjs
function Hh(e, t) {
	switch (arguments.length) {
		case 0: break;
		case 1:
			this.range(e);
			break;
		default: this.range(t).domain(e);
	}
	return this;
}
function Uh(e) {
	return function() {
		return e;
	};
}
function Wh(e) {
	return +e;
}
var Gh = [0, 1];
function Kh(e) {
	return e;
}
function qh(e, t) {
	return (t -= e = +e) ? function(n) {
		return (n - e) / t;
	} : Uh(isNaN(t) ? NaN : .5);
}
function Jh(e, t) {
	var n;
	return e > t && (n = e, e = t, t = n), function(n) {
		return Math.max(e, Math.min(t, n));
	};
}
function Yh(e, t, n) {
	var r = e[0], i = e[1], a = t[0], o = t[1];
	return i < r ? (r = qh(i, r), a = n(o, a)) : (r = qh(r, i), a = n(a, o)), function(e) {
		return a(r(e));
	};
}
function Xh(e, t, n) {
	var r = Math.min(e.length, t.length) - 1, i = Array(r), a = Array(r), o = -1;
	for (e[r] < e[0] && (e = e.slice().reverse(), t = t.slice().reverse()); ++o < r;) i[o] = qh(e[o], e[o + 1]), a[o] = n(t[o], t[o + 1]);
	return function(t) {
		var n = uh(e, t, 1, r) - 1;
		return a[n](i[n](t));
	};
}
function Zh(e, t) {
	return t.domain(e.domain()).range(e.range()).interpolate(e.interpolate()).clamp(e.clamp()).unknown(e.unknown());
}
function Qh() {
	var e = Gh, t = Gh, n = bf, r, i, a, o = Kh, s, c, l;
	function u() {
		var n = Math.min(e.length, t.length);
		return o !== Kh && (o = Jh(e[0], e[n - 1])), s = n > 2 ? Xh : Yh, c = l = null, d;
	}
	function d(i) {
		return i == null || isNaN(i = +i) ? a : (c ||= s(e.map(r), t, n))(r(o(i)));
	}
	return d.invert = function(n) {
		return o(i((l ||= s(t, e.map(r), pf))(n)));
	}, d.domain = function(t) {
		return arguments.length ? (e = Array.from(t, Wh), u()) : e.slice();
	}, d.range = function(e) {
		return arguments.length ? (t = Array.from(e), u()) : t.slice();
	}, d.rangeRound = function(e) {
		return t = Array.from(e), n = xf, u();
	}, d.clamp = function(e) {
		return arguments.length ? (o = e ? !0 : Kh, u()) : o !== Kh;
	}, d.interpolate = function(e) {
		return arguments.length ? (n = e, u()) : n;
	}, d.unknown = function(e) {
		return arguments.length ? (a = e, d) : a;
	}, function(e, t) {
		return r = e, i = t, u();
	};
}
function $h() {
	return Qh()(Kh, Kh);
}
function eg(e, t, n, r) {
	var i = _h(e, t, n), a;
	switch (r = wh(r ?? ",f"), r.type) {
		case "s":
			var o = Math.max(Math.abs(e), Math.abs(t));
			return r.precision == null && !isNaN(a = Bh(i, o)) && (r.precision = a), Lh(r, o);
		case "":
		case "e":
		case "g":
		case "p":
		case "r":
			r.precision == null && !isNaN(a = Vh(i, Math.max(Math.abs(e), Math.abs(t)))) && (r.precision = a - (r.type === "e"));
			break;
		case "f":
		case "%": r.precision == null && !isNaN(a = zh(i)) && (r.precision = a - (r.type === "%") * 2);
	}
	return Ih(r);
}
function tg(e) {
	var t = e.domain;
	return e.ticks = function(e) {
		var n = t();
		return hh(n[0], n[n.length - 1], e ?? 10);
	}, e.tickFormat = function(e, n) {
		var r = t();
		return eg(r[0], r[r.length - 1], e ?? 10, n);
	}, e.nice = function(n) {
		n ??= 10;
		var r = t(), i = 0, a = r.length - 1, o = r[i], s = r[a], c, l, u = 10;
		for (s < o && (l = o, o = s, s = l, l = i, i = a, a = l); u-- > 0;) {
			if (l = gh(o, s, n), l === c) return r[i] = o, r[a] = s, t(r);
			if (l > 0) o = Math.floor(o / l) * l, s = Math.ceil(s / l) * l;
			else if (l < 0) o = Math.ceil(o * l) / l, s = Math.floor(s * l) / l;
			else break;
			c = l;
		}
		return e;
	}, e;
}
function ng() {
	var e = $h();
	return e.copy = function() {
		return Zh(e, ng());
	}, Hh.apply(e, arguments), tg(e);
}
// src/views/pair/scene.ts
function rg(e, t) {
	let n = e.products.map((e, t) => t);
	return t === "place" ? n : n.sort((t, n) => Math.abs(e.products[n]) - Math.abs(e.products[t]));
}
function ig(e) {
	return [["position", e.position], ["bias", e.bias]].filter(([, t]) => Math.abs(t) > 1e-5 * Math.max(1, Math.abs(e.content)));
}
function ag(e, t, n, r, i) {
	let a = rg(e, t), o = ig(e).length, s = a.length + (o ? o + .5 : 0), c = Math.max(5, Math.min(26, (n - 80 - 16) / Math.max(1, s))), l = [
		...e.products,
		e.position,
		e.bias
	], u = [], d = 0;
	for (let t of a) u.push(d += e.products[t]);
	let f = Math.max(1e-9, ...l.map(Math.abs)), p = Math.max(1e-9, ...u.map(Math.abs), Math.abs(e.content + e.position + e.bias)), m = Math.max(1e-9, ...e.query.map(Math.abs), ...e.key.map(Math.abs)), h = ng([-f, f], [188, 58]), g = ng([-p, p], [332, 222]), _ = (e, t) => ga(ha(r.theme, e / t)), v = [
		{
			kind: "label",
			x: 72,
			y: 13,
			anchor: "end",
			text: "query",
			size: 12,
			fill: r.faint
		},
		{
			kind: "label",
			x: 72,
			y: 31,
			anchor: "end",
			text: "key",
			size: 12,
			fill: r.faint
		},
		{
			kind: "label",
			x: 72,
			y: h(0) + 4,
			anchor: "end",
			text: "product",
			size: 12,
			fill: r.faint
		},
		{
			kind: "label",
			x: 72,
			y: g(0) + 4,
			anchor: "end",
			text: "sum so far",
			size: 12,
			fill: r.faint
		},
		{
			kind: "stroke",
			d: `M80 ${h(0)}H${80 + c * s}`,
			stroke: r.line
		},
		{
			kind: "stroke",
			d: `M80 ${g(0)}H${80 + c * s}`,
			stroke: r.line
		}
	], y = `M80 ${g(0)}`;
	a.forEach((t, n) => {
		let r = 80 + n * c, a = e.products[t], o = e.query[t], s = e.key[t], l = `dimension ${t}: query ${Y(o, 3)}, key ${Y(s, 3)}, its part of the score ${Y(a, 3)}; up to here ${Y(u[n], 3)}`, d = {
			enter: () => i(l),
			leave: () => i(null)
		};
		v.push({
			kind: "box",
			x: r,
			y: 2,
			width: c - 1,
			height: 15,
			fill: _(o, m),
			title: l,
			touch: d
		}), v.push({
			kind: "box",
			x: r,
			y: 19,
			width: c - 1,
			height: 15,
			fill: _(s, m),
			title: l,
			touch: d
		}), v.push({
			kind: "box",
			x: r,
			y: Math.min(h(0), h(a)),
			width: c - 1,
			height: Math.max(1, Math.abs(h(a) - h(0))),
			fill: _(Math.sign(a) * .75, 1),
			title: l,
			touch: d,
			name: "product"
		}), y += `H${r + c / 2}V${g(u[n])}`;
	});
	let b = 80 + (a.length + .5) * c;
	for (let [t, n] of ig(e)) d += n, v.push({
		kind: "box",
		x: b,
		y: Math.min(h(0), h(n)),
		width: c - 1,
		height: Math.max(1, Math.abs(h(n) - h(0))),
		fill: r.faint,
		title: `${t}: ${Y(n, 3)}`
	}), v.push({
		kind: "label",
		x: b + c / 2 + 4,
		y: h(0) + (n > 0 ? 6 : -6),
		turn: -90,
		anchor: n > 0 ? "end" : "start",
		text: t,
		size: 11,
		fill: r.faint
	}), y += `H${b + c / 2}V${g(d)}`, b += c;
	let x = 80 + c * s;
	return v.push({
		kind: "stroke",
		d: `${y}H${x}`,
		stroke: r.accent,
		thickness: 2
	}), v.push({
		kind: "label",
		x: Math.min(n - 4, x),
		y: g(d) - 6,
		anchor: "end",
		text: Y(d, 3),
		size: 13,
		bold: !0,
		fill: r.accent
	}), {
		width: Math.max(x + 12, 300),
		height: 346,
		marks: v
	};
}
// src/views/pair/view.tsx
var og = 400;
function sg(e, t) {
	let n = G.value.flatMap((n) => lr(e, t, n) ?? []), r = G.value.flatMap((n) => ur(e, t, n) ?? []);
	return t.rows === t.columns ? {
		row: n.at(-2) ?? n.at(-1) ?? t.queries - 1,
		column: n.length > 1 ? n.at(-1) : null
	} : {
		row: n.at(-1) ?? Math.min(1, t.queries - 1),
		column: r.at(-1) ?? null
	};
}
function cg({ pair: e, row: t }) {
	let n = [
		e.kind === "Additive" ? `Σ v tanh(q + k) = ${Y(e.content, 3)}` : `q · k${e.scale !== null && e.scale !== 1 ? ` × ${Y(e.scale, 3)}` : ""} = ${Y(e.content, 3)}`,
		...ig(e).map(([e, t]) => `${e} ${Y(t, 3)}`),
		...e.sharpness === 1 ? [] : [`× ${Y(e.sharpness, 3)} (tempered)`]
	];
	return /* @__PURE__ */ K("p", {
		class: "equation",
		"data-equation": !0,
		children: [e.allowed && e.score !== null && e.logsumexp !== null ? /* @__PURE__ */ K(x, { children: [
			n.join(" + "),
			" \xA0→\xA0 score ",
			/* @__PURE__ */ K("b", { children: Y(e.score, 3) }),
			" \xA0→\xA0 exp(",
			Y(e.score, 3),
			" ",
			"− ",
			Y(e.logsumexp, 3),
			") = ",
			/* @__PURE__ */ K("b", { children: Y(e.weight, 3) })
		] }) : /* @__PURE__ */ K(x, { children: "The mask forbids this pair: its weight is exactly 0." }), /* @__PURE__ */ K("span", {
			class: "faint",
			children: [
				" \xA0 the row's entropy is ",
				Y(t.entropy),
				" nats"
			]
		})]
	});
}
function lg() {
	let e = V.value, t = W.value, [n, r] = ka(), i = dn.value, a = e && t ? sg(e, t) : null, o = z("order") === "size" ? "size" : "place", { answer: s, problem: c } = Xi(e && t && a && (async (n) => {
		let r = await Yt.row(e.id, {
			place: t.name,
			head: i,
			row: a.row,
			top: 16
		}, n), o = a.column ?? r.top[0]?.column ?? 0;
		return {
			row: r,
			pair: await Yt.pair(e.id, {
				place: t.name,
				head: i,
				row: a.row,
				column: o
			}, n)
		};
	}), [
		e?.id,
		t?.name,
		i,
		a?.row,
		a?.column
	]), l = Z.value, u = j(() => s && ag(s.pair, o, Math.max(280, r - 40), l, (e) => rn.value = e), [
		s,
		o,
		r,
		l
	]);
	if (!e || !t || !a) return /* @__PURE__ */ K(yr, { children: "Run a text: this view then takes one query and one key apart." });
	let d = (n, r) => L({ pins: [sr(e, t, n), cr(e, t, r)] }), f = (e, t, n, r, i) => /* @__PURE__ */ K("label", { children: [e, t <= og ? /* @__PURE__ */ K("select", {
		value: n,
		"aria-label": e,
		class: "mono",
		onChange: (e) => i(Number(e.currentTarget.value)),
		children: Array.from({ length: t }, (e, t) => /* @__PURE__ */ K("option", {
			value: t,
			children: [
				t,
				" ",
				q(r(t))
			]
		}, t))
	}) : /* @__PURE__ */ K("input", {
		type: "number",
		min: 0,
		max: t - 1,
		value: n,
		"aria-label": e,
		onChange: (e) => i(Math.max(0, Math.min(t - 1, Number(e.currentTarget.value))))
	})] }), p = s?.pair.column ?? a.column ?? 0;
	return /* @__PURE__ */ K("div", {
		class: "stack",
		ref: n,
		children: [
			/* @__PURE__ */ K("div", {
				class: "row controls",
				children: [
					/* @__PURE__ */ K(Yn, {}),
					f("Query", t.queries, a.row, (n) => dr(e, t, n), (e) => d(e, p)),
					f("Key", t.keys, p, (n) => X(e, t, n), (e) => d(a.row, e))
				]
			}),
			c && /* @__PURE__ */ K(hr, { line: c }),
			!s && !c && /* @__PURE__ */ K(gr, { line: "Waiting for the query and the key …" }),
			s && u && /* @__PURE__ */ K(x, { children: [
				/* @__PURE__ */ K(cg, { ...s }),
				/* @__PURE__ */ K("div", {
					class: "card",
					children: /* @__PURE__ */ K(ki, {
						title: `“${q(dr(e, t, s.pair.row))}” looks at “${q(X(e, t, p))}”: the product per dimension`,
						of: [s, o],
						first: !0,
						legend: /* @__PURE__ */ K("div", {
							class: "row",
							children: [/* @__PURE__ */ K(Oa, { most: Math.max(...s.pair.query.map(Math.abs), ...s.pair.key.map(Math.abs)) }), /* @__PURE__ */ K(qn, {
								label: "Order of the dimensions",
								value: o,
								choose: (e) => R({ order: e === "size" ? "size" : "" }),
								options: [["place", "in order"], ["size", "largest first"]]
							})]
						}),
						make: () => ({
							title: `${t.name} head ${i}: query ${s.pair.row}, key ${p}`,
							scene: u,
							python: zi([
								`query, key = pattern.query[0, ${i}, ${s.pair.row}], pattern.key[0, ${i}, ${p}]`,
								"print(query * key)  # the score is their sum, scaled",
								`print(pattern[0, ${i}, ${s.pair.row}, ${p}])`
							]),
							table: {
								caption: "what each dimension adds to the score",
								columns: [
									"dimension",
									"query",
									"key",
									"product, scaled"
								],
								rows: s.pair.products.map((e, t) => [
									t,
									s.pair.query[t],
									s.pair.key[t],
									e
								])
							}
						}),
						children: /* @__PURE__ */ K(Fi, {
							scene: u,
							label: "products per dimension"
						})
					})
				}),
				/* @__PURE__ */ K(ug, {
					shown: e,
					here: t,
					row: s.row,
					column: p,
					choose: (e) => d(a.row, e)
				})
			] })
		]
	});
}
function ug({ shown: e, here: t, row: n, column: r, choose: i }) {
	let a = n.weights.length > 0 && n.weights.length <= 48, o = a ? n.weights.map((e, t) => ({
		column: t,
		weight: e
	})) : n.top, s = Vi(o.map((n) => ({
		name: q(X(e, t, n.column)),
		value: n.weight,
		strong: n.column === r,
		title: `${q(X(e, t, n.column))}: ${nr(n.weight)}`,
		touch: { press: () => i(n.column) }
	})), Z.value, {
		width: 520,
		digits: 3
	}), c = `The softmax row of “${q(dr(e, t, n.row))}”${a ? "" : `: the ${o.length} largest of ${n.keys}`}`;
	return /* @__PURE__ */ K("div", {
		class: "card",
		children: /* @__PURE__ */ K(ki, {
			title: c,
			of: [n],
			make: () => ({
				title: c,
				scene: s,
				python: zi([`print(pattern[0, ${n.head}, ${n.row}])`]),
				table: {
					caption: c,
					columns: [
						"column",
						"token",
						"weight"
					],
					rows: (n.weights.length ? n.weights.map((e, t) => ({
						column: t,
						weight: e
					})) : n.top).map((n) => [
						n.column,
						q(X(e, t, n.column)),
						n.weight
					])
				}
			}),
			children: /* @__PURE__ */ K(Fi, {
				scene: s,
				label: c
			})
		})
	});
}
// src/views/text/answered.tsx
function dg({ title: e, options: t, first: n, tail: r }) {
	let i = Math.max(...t.map((e) => e.probability)), a = Vi(t.slice(0, 20).map((e) => ({
		name: q(e.text),
		value: e.probability,
		strong: e.probability === i
	})), Z.value, { width: 460 });
	return /* @__PURE__ */ K("div", {
		class: "card",
		children: /* @__PURE__ */ K(ki, {
			title: e,
			of: [t],
			first: n,
			make: () => ({
				title: e,
				scene: a,
				python: zi([r]),
				table: {
					caption: e,
					columns: ["text", "probability"],
					rows: t.map((e) => [q(e.text), e.probability])
				}
			}),
			children: /* @__PURE__ */ K(Fi, {
				scene: a,
				label: e
			})
		})
	});
}
function fg() {
	let e = V.value, t = e.sides.at(-1), n = e.sides.length - 1, r = Bn.value, i = r && r.side === n && r.index > 0 ? r.index : t.given, a = e.candidates.find((e) => e.row === i - 1) ?? e.candidates[0];
	return a ? /* @__PURE__ */ K(dg, {
		title: `What competed for “${q(t.next[a.row] ?? "")}”`,
		options: a.options,
		tail: `# after token ${a.row}: the five likeliest`,
		first: !e.tree
	}) : null;
}
function pg() {
	let e = V.value, { answer: t, task: n } = e;
	return n === "fill" ? /* @__PURE__ */ K("div", {
		class: "two",
		children: t.gaps.map((e, t) => /* @__PURE__ */ K(dg, {
			title: `Gap ${t + 1}`,
			options: e,
			first: t === 0,
			tail: `print(answer.choices[${t}])`
		}, t))
	}) : n === "embed" ? /* @__PURE__ */ K("p", {
		class: "faint",
		children: [
			"The text became a vector of ",
			t.vector.length,
			" numbers; the views show what was looked at on the way."
		]
	}) : /* @__PURE__ */ K(x, { children: [
		n === "answer" && /* @__PURE__ */ K("p", {
			class: "answer",
			"data-answer": !0,
			children: t.text
		}),
		t.options.length > 0 && /* @__PURE__ */ K(dg, {
			title: n === "answer" ? "Answers" : "Labels",
			options: t.options,
			first: !0,
			tail: "print(answer)"
		}),
		e.candidates.length > 0 && /* @__PURE__ */ K(fg, {})
	] });
}
// src/views/text/passage.tsx
var mg = 1500, hg = Rt("words");
function gg(e) {
	let t = V.value, n = Bn.value, r = {
		weights: /* @__PURE__ */ new Map(),
		says: ""
	};
	if (!t || !n) return r;
	let i = t.alignment, a = i && t.places.find((e) => e.name === i.place);
	if (i && a && t.sides.length > 1) {
		let r = lr(t, a, n), o = ur(t, a, n), s = /* @__PURE__ */ new Map();
		return r !== null && e !== n.side ? i.weights[r]?.forEach((e, t) => s.set(t, e)) : o !== null && e !== n.side && i.weights.forEach((e, t) => s.set(t + 1, e[o] ?? 0)), {
			weights: s,
			says: s.size ? `alignment: ${i.place}, the mean of its heads` : ""
		};
	}
	let o = nn.value, s = W.value;
	if (!o || !s || s.name !== o.place || lr(t, s, n) !== o.row || ur(t, s, {
		side: e,
		index: 0
	}) === null) return r;
	let c = o.weights.length ? o.weights.map((e, t) => [t, e]) : o.top.map((e) => [e.column, e.weight]);
	return {
		weights: new Map(c),
		says: `${o.place} · head ${o.head}`
	};
}
function _g({ side: e }) {
	let t = V.value.sides[e], n = j(() => ir(t), [t]), { weights: r, says: i } = gg(e), a = Bn.value, o = Zr.value, s = n.slice(0, mg), c = (t) => {
		let r = n[t]?.word;
		return !hg.value || r == null ? [{
			side: e,
			index: t
		}] : n.flatMap((t, n) => t.word === r ? [{
			side: e,
			index: n
		}] : []);
	};
	return /* @__PURE__ */ K("section", {
		class: "card passage",
		"aria-label": t.name,
		children: [/* @__PURE__ */ K("div", {
			class: "row",
			children: [/* @__PURE__ */ K("h2", { children: t.name }), /* @__PURE__ */ K("span", {
				class: "faint small",
				children: i
			})]
		}), /* @__PURE__ */ K("p", {
			class: hg.value ? "prose whole" : "prose",
			children: [s.map((t, n) => {
				let i = r.get(n) ?? 0, s = ma(o, Math.min(1, i)), l = i > .02 ? {
					backgroundColor: ga(s),
					color: _a(s)
				} : void 0, u = {
					side: e,
					index: n
				}, d = a !== null && c(n).some((e) => pr(e, a)), f = [
					"word",
					t.special && "special",
					t.written && "written",
					d && "lit",
					zn(u) && "held"
				].filter(Boolean).join(" "), p = t.text.endsWith("\n"), m = hg.value ? J(t.text) : t.text.startsWith(" ") ? `·${q(t.text.slice(1))}` : q(t.text);
				return /* @__PURE__ */ K(x, { children: [/* @__PURE__ */ K("button", {
					type: "button",
					class: f,
					style: l ?? {},
					"data-weight": i > .02 ? Y(i) : void 0,
					onPointerEnter: () => U.value = u,
					onFocus: () => U.value = u,
					onBlur: () => U.value = null,
					onClick: (e) => Rn(c(n), e.shiftKey),
					children: m
				}, n), p && /* @__PURE__ */ K("br", {})] });
			}), n.length > mg && /* @__PURE__ */ K("span", {
				class: "faint",
				children: [
					" ",
					"… ",
					(n.length - mg).toLocaleString("en-US"),
					" more tokens: the map shows them all"
				]
			})]
		})]
	});
}
function vg({ text: e }) {
	return /* @__PURE__ */ K("section", {
		class: "card passage",
		"aria-label": "being written",
		"aria-live": "polite",
		children: [/* @__PURE__ */ K("h2", { children: "Writing …" }), /* @__PURE__ */ K("p", {
			class: "prose",
			"data-streaming": !0,
			children: [e, /* @__PURE__ */ K("span", {
				class: "caret",
				"aria-hidden": "true",
				children: "▏"
			})]
		})]
	});
}
// src/views/text/tree.ts
var yg = 26, bg = 13;
function xg(e) {
	let t = e.nodes.map(() => ({
		depth: 0,
		lane: 0,
		children: []
	})), n = [];
	e.nodes.forEach(({ parent: e }, r) => {
		e < 0 ? n.push(r) : (t[r].depth = t[e].depth + 1, t[e].children.push(r));
	});
	let r = new Set(e.winner), i = (t, n) => Number(r.has(n)) - Number(r.has(t)) || e.nodes[n].score - e.nodes[t].score, a = 0, o = n.sort(i).reverse();
	for (; o.length;) {
		let n = o.pop(), r = t[n], s = e.nodes[n].parent;
		r.lane = (s < 0 ? a === 0 : t[s].children[0] === n) && s >= 0 ? t[s].lane : a++, r.children.sort(i), o.push(...[...r.children].reverse());
	}
	return t;
}
function Sg(e, t, n) {
	let r = xg(e), i = Math.max(0, ...r.map((e) => e.depth)) + 1, a = Array.from({ length: i }, () => 24);
	e.nodes.forEach(({ text: e }, t) => {
		let n = r[t].depth;
		a[n] = Math.max(a[n], Math.min(140, Or(q(e), bg) + 10));
	});
	let o = a.map((e, t) => 30 + a.slice(0, t).reduce((e, t) => e + t + 34, 0)), s = new Set(e.winner), c = new Map(e.leaves.map((e, t) => [e, t])), l = (e) => 22 + e * yg, u = As(), d = [{
		kind: "box",
		x: 8,
		y: l(0) - 4,
		width: 8,
		height: 8,
		round: 4,
		fill: t.accent
	}], f = [];
	e.nodes.forEach(({ text: i, parent: p, score: m }, h) => {
		let g = r[h], _ = s.has(h), v = p < 0 ? [16, l(0)] : [o[r[p].depth] + Math.min(a[r[p].depth], Or(q(e.nodes[p].text), bg) + 10), l(r[p].lane)], y = u({
			source: v,
			target: [o[g.depth], l(g.lane)]
		});
		y && f.push({
			kind: "stroke",
			d: y,
			stroke: _ ? t.accent : t.line,
			thickness: _ ? 2.5 : 1.2
		});
		let b = c.get(h), x = b === void 0 ? "" : `, ${_ ? "the winner" : `finished, number ${b + 1}`}`;
		if (d.push({
			kind: "box",
			x: o[g.depth],
			y: l(g.lane) - 11,
			height: 22,
			round: 5,
			name: _ ? "node won" : "node",
			width: Math.min(a[g.depth], Or(q(i), bg) + 10),
			fill: _ ? t.soft : t.paper,
			stroke: _ ? t.accent : b === void 0 ? t.line : t.faint,
			title: `${q(i)}: log-probability up to here ${Y(m)}${x}`,
			touch: {
				enter: () => n(`“${q(i)}” · log-probability up to here ${Y(m, 3)}${x}`),
				leave: () => n(null)
			}
		}), d.push({
			kind: "label",
			x: o[g.depth] + 5,
			y: l(g.lane) + 4.5,
			text: kr(q(i), a[g.depth] - 8, bg),
			size: bg,
			mono: !0,
			bold: _,
			fill: _ || b !== void 0 ? t.ink : t.faint,
			name: "unclickable"
		}), b !== void 0) {
			let e = o[g.depth] + Math.min(a[g.depth], Or(q(i), bg) + 10);
			d.push({
				kind: "label",
				x: e + 6,
				y: l(g.lane) + 4.5,
				size: 12,
				fill: _ ? t.accent : t.faint,
				bold: _,
				text: _ ? `${Y(m)} ★` : Y(m)
			});
		}
	});
	let p = Math.max(0, ...r.map((e) => e.lane)) + 1;
	return {
		width: (o.at(-1) ?? 0) + (a.at(-1) ?? 0) + 70,
		height: l(p - 1) + 22,
		marks: [...f, ...d]
	};
}
function Cg(e) {
	let t = new Set(e.winner);
	return {
		caption: "every token that the beam search kept, with the log-probability of the text up to it",
		columns: [
			"number",
			"token",
			"after",
			"score",
			"winner"
		],
		rows: e.nodes.map(({ text: e, parent: n, score: r }, i) => [
			i,
			q(e),
			n,
			r,
			t.has(i) ? "yes" : ""
		])
	};
}
// src/views/text/view.tsx
var wg = Rt("words");
function Tg({ label: e, name: t, otherwise: n, most: r }) {
	return /* @__PURE__ */ K("label", { children: [e, /* @__PURE__ */ K("input", {
		type: "number",
		min: 1,
		max: r,
		value: z(t, String(n)),
		"aria-label": e,
		onChange: (e) => R({ [t]: e.currentTarget.value === String(n) ? "" : e.currentTarget.value })
	})] });
}
function Eg() {
	let e = un.value?.task, t = e === "translate" || e === "generate", n = z("temperature");
	return /* @__PURE__ */ K("div", {
		class: "row controls",
		children: [
			/* @__PURE__ */ K(qn, {
				label: "Tokens or words",
				value: wg.value ? "words" : "tokens",
				choose: (e) => L({ words: e === "words" }),
				options: [["tokens", "tokens"], ["words", "words"]]
			}),
			t && /* @__PURE__ */ K(qn, {
				label: "How it is written",
				value: n ? "drawn" : "likeliest",
				choose: (e) => R({
					temperature: e === "drawn" ? "0.8" : "",
					seed: ""
				}),
				options: [["likeliest", "the likeliest"], ["drawn", "drawn by lot"]]
			}),
			t && !n && /* @__PURE__ */ K(Tg, {
				label: "Beams",
				name: "beam",
				otherwise: e === "translate" ? 4 : 1,
				most: 16
			}),
			t && n && /* @__PURE__ */ K(x, { children: [/* @__PURE__ */ K("label", { children: [
				"Temperature",
				/* @__PURE__ */ K("input", {
					type: "range",
					min: .1,
					max: 2,
					step: .1,
					value: n,
					"aria-label": "Temperature",
					onChange: (e) => R({ temperature: e.currentTarget.value })
				}),
				/* @__PURE__ */ K("output", { children: n })
			] }), /* @__PURE__ */ K(Tg, {
				label: "Seed",
				name: "seed",
				otherwise: 0,
				most: 2 ** 31 - 1
			})] }),
			e === "generate" && /* @__PURE__ */ K(Tg, {
				label: "Tokens to write",
				name: "tokens",
				otherwise: 32,
				most: 512
			})
		]
	});
}
function Dg() {
	let e = Gr(un.value), t = (e) => L({
		text: e.text,
		more: {
			...I.peek().more,
			...e.second && { second: e.second }
		}
	});
	return /* @__PURE__ */ K(mr, { children: [/* @__PURE__ */ K("p", { children: [
		"Type a text above and run it: every view then shows what ",
		ln.value || "the model",
		" looks at."
	] }), e && /* @__PURE__ */ K("button", {
		type: "button",
		class: "plain",
		"data-example": !0,
		onClick: () => t(e),
		children: [
			"Try “",
			e.second || e.text,
			"”"
		]
	})] });
}
function Og() {
	let e = V.value, t = e.tree, n = Sg(t, Z.value, (e) => rn.value = e), r = "Beam search: what was kept, the winner marked";
	return /* @__PURE__ */ K("div", {
		class: "card",
		children: /* @__PURE__ */ K(ki, {
			title: r,
			of: [e],
			first: !0,
			make: () => ({
				title: r,
				scene: n,
				table: Cg(t),
				python: zi(["# decode() with beam= gives the tree of the search, see docs/decoding.md"])
			}),
			children: /* @__PURE__ */ K(Fi, {
				scene: n,
				label: r
			})
		})
	});
}
function kg() {
	let e = V.value, t = vr(), n = H.value?.progress?.text ?? "";
	return /* @__PURE__ */ K("div", {
		class: "stack",
		children: [
			/* @__PURE__ */ K(Eg, {}),
			!e && n && /* @__PURE__ */ K(vg, { text: n }),
			!e && !n && (t ? /* @__PURE__ */ K(gr, { ...t }) : /* @__PURE__ */ K(yr, { children: /* @__PURE__ */ K(Dg, {}) })),
			e && /* @__PURE__ */ K(x, { children: [
				/* @__PURE__ */ K("div", {
					class: e.sides.length > 1 ? "two" : "stack",
					onPointerLeave: () => U.value = null,
					children: e.sides.map((e, t) => /* @__PURE__ */ K(_g, { side: t }, t))
				}),
				H.value && n && /* @__PURE__ */ K(vg, { text: n }),
				/* @__PURE__ */ K(pg, {}),
				e.tree && e.tree.nodes.length > 0 && /* @__PURE__ */ K(Og, {})
			] })
		]
	});
}
// src/app.tsx
var Ag = {
	text: {
		name: "Text",
		view: kg
	},
	heads: {
		name: "Heads",
		view: Ra
	},
	links: {
		name: "Links",
		view: nc
	},
	map: {
		name: "Map",
		view: eh
	},
	pair: {
		name: "Q · K",
		view: lg
	},
	edit: {
		name: "Edit",
		view: sa
	},
	inside: {
		name: "Inside",
		view: Ya
	},
	learn: {
		name: "Learn",
		view: es
	}
}, jg = Rt("view"), Mg = () => Ot.filter((e) => !Hn.value || ![
	"edit",
	"inside",
	"learn"
].includes(e));
function Ng(e) {
	let t = e.target.closest?.("textarea, select, dialog, input:not([type=checkbox], [type=range], [type=file])");
	if ((e.ctrlKey || e.metaKey) && e.key.toLowerCase() === "z" && !t) return e.preventDefault(), e.shiftKey ? Fn() : Pn();
	if (t || e.ctrlKey || e.metaKey || e.altKey) return;
	let n = Number(e.key), r = Mg()[n - 1];
	if (r) return L({ view: r });
	switch (e.key) {
		case "/": return e.preventDefault(), B.root.querySelector(".top textarea")?.focus();
		case "[": return Jn(-1, 0);
		case "]": return Jn(1, 0);
		case ",": return Jn(0, -1);
		case ".": return Jn(0, 1);
		case "w": return L({ words: !I.peek().words });
		case "Escape": return L({ pins: [] });
	}
}
function Pg() {
	let e = yt(!1);
	A(() => {
		let e = B.alone ? window : B.root;
		return e.addEventListener("keydown", Ng), () => e.removeEventListener("keydown", Ng);
	}, []), A(() => {
		U.value = null, rn.value = null;
	}, [jg.value]);
	let t = Ag[jg.value];
	A(() => {
		B.alone && (document.title = `${t.name} · regard`);
	}, [t]);
	let n = t.view, r = jg.value === "learn";
	return /* @__PURE__ */ K(x, { children: [
		/* @__PURE__ */ K(Mi, { help: () => e.value = !0 }),
		K(r ? "div" : Ur, {}),
		/* @__PURE__ */ K("div", {
			class: "middle",
			children: [/* @__PURE__ */ K("nav", {
				class: "views",
				"aria-label": "Views",
				children: Mg().map((e) => /* @__PURE__ */ K("a", {
					href: Ft({
						...I.value,
						view: e
					}),
					"aria-current": e === jg.value ? "page" : void 0,
					onClick: (t) => {
						t.ctrlKey || t.metaKey || t.shiftKey || (t.preventDefault(), L({ view: e }));
					},
					children: Ag[e].name
				}, e))
			}), /* @__PURE__ */ K("main", {
				id: "main",
				tabIndex: -1,
				"aria-label": t.name,
				"data-view": jg.value,
				children: [tn.value && V.value && !r && /* @__PURE__ */ K(hr, { line: tn.value }), /* @__PURE__ */ K(n, {}, jg.value)]
			})]
		}),
		/* @__PURE__ */ K(Sr, {}),
		an.value && /* @__PURE__ */ K("div", {
			class: "toast",
			role: "status",
			children: an.value
		}),
		/* @__PURE__ */ K(Zn, {
			open: e.value,
			close: () => e.value = !1
		})
	] });
}
// src/kernel.ts
function Fg(e) {
	let t = 0, n = /* @__PURE__ */ new Map();
	return e.on("msg:custom", (e, t) => n.get(e.id)?.(e, t[0])), (r, i = {}) => new Promise((a, o) => {
		let s = ++t, c = null, l = new ReadableStream({ start: (e) => void (c = e) }), u = !1;
		n.set(s, (e, t) => {
			u || a(new Response(l, {
				status: e.status,
				headers: { "Content-Type": e.type }
			})), u = !0, t?.byteLength && c?.enqueue(new Uint8Array(t.buffer, t.byteOffset, t.byteLength).slice()), e.more || (c?.close(), n.delete(s));
		}), i.signal?.addEventListener("abort", () => {
			n.delete(s) && (u ? c?.error(i.signal?.reason) : o(i.signal?.reason));
		}), e.send({
			id: s,
			method: i.method ?? "GET",
			path: `/${r}`,
			body: i.body ?? null
		});
	});
}
// src/main.tsx
function Ig(e) {
	B.root = e, e.classList.add("regard", "whole"), $r(), Bt(), Wn(), xr(), ge(/* @__PURE__ */ K(Pg, {}), e);
}
var Lg = !1, Rg = { render({ model: e, el: t }) {
	B.root = t, B.alone = !1, B.wire = Fg(e), t.classList.add("regard", "cell"), $r();
	let n = String(e.get("run") ?? "");
	return Lg ||= (n ? Un(n) : Wn(), xr(), !0), ge(/* @__PURE__ */ K(Pg, {}), t), () => ge(null, t);
} };
export { Rg as default, Ig as start };
