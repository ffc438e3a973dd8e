# A person's changes of a host's mark. Each prints the former owner. The variables of owner.sh are set, which precedes this.
: "${owner:?}"

show() { whose; }

# Removes the mark, for any owner.
clear() {
	whose
	rm -f "$owner"
	if [ -d "${owner%/*}" ]; then rmdir --ignore-fail-on-non-empty "${owner%/*}"; fi
}

# Writes this cluster's mark in place of another's. A K3s must be this cluster's by its token: an install would join it to another's.
take() {
	whose
	if [ -e "$owner" ]; then mv "$owner" "$owner.before"; fi
	found=$(whose)
	case $found in
	ours | free)
		claim
		rm -f "$owner.before"
		;;
	*)
		if [ -e "$owner.before" ]; then mv "$owner.before" "$owner"; fi
		not_ours "$found"
		exit 1
		;;
	esac
}
